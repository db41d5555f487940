; RUN: work_item_loop
; LLVM makes one access of those to the members of a structure. In a loop that is declared parallel it does not look at
; what lies between them: not one where a member may be read at another address after it was written.
declare void @together.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1
declare void @apart.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #3

; CHECK: define internal void @together.region.0.foreach(
; CHECK: br i1 {{.*}}, label %item, label %row.end, !llvm.loop [[LOOP:!\d+]]
define internal void @together.region.0(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
  %a = getelementptr [2 x i32], ptr addrspace(1) %p, i64 %lid.0
  %b = getelementptr i8, ptr addrspace(1) %a, i64 4
  %c = getelementptr i32, ptr addrspace(1) %q, i64 %lid.0
  %v = load i32, ptr addrspace(1) %c
  store i32 %v, ptr addrspace(1) %a
  store i32 5, ptr addrspace(1) %b
  ret void
}

; CHECK: define internal void @apart.region.0.foreach(
; CHECK: br i1 {{.*}}, label %item, label %row.end, !llvm.loop [[ALONE:!\d+]]
define internal void @apart.region.0(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #2 {
  %a = getelementptr [2 x i32], ptr addrspace(1) %p, i64 %lid.0
  %b = getelementptr i8, ptr addrspace(1) %a, i64 4
  %c = getelementptr i32, ptr addrspace(1) %q, i64 %lid.0
  store i32 4, ptr addrspace(1) %a
  %v = load i32, ptr addrspace(1) %c
  store i32 %v, ptr addrspace(1) %b
  ret void
}

; CHECK: [[LOOP]] = distinct !{[[LOOP]], {{!\d+}}, {{!\d+}}}
; CHECK: [[ALONE]] = distinct !{[[ALONE]], {{!\d+}}}

attributes #0 = { "clpy-kernel"="together" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="together" "clpy-role"="foreach" }
attributes #2 = { "clpy-kernel"="apart" "clpy-role"="region" "clpy-exits"="none" }
attributes #3 = { "clpy-kernel"="apart" "clpy-role"="foreach" }
