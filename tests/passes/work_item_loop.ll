; RUN: work_item_loop
; The region runs for each work-item; accesses to memory that work-items share are parallel, private ones are not.
declare void @k.region.0.foreach(ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.foreach(
; CHECK: row:
; CHECK-NEXT: %lid.1 = phi i64 [ 0, %entry ]
; CHECK-NEXT: %lid.2 = phi i64 [ 0, %entry ]
; CHECK: item:
; CHECK-NEXT: %lid.0 = phi i64 [ 0, %row ], [ [[NEXT:%\w+]], %item ]
; CHECK-NEXT: call void @k.region.0(ptr addrspace(1) {{.*}}, i64 %lid.0, i64 %lid.1, i64 %lid.2,
; CHECK-NEXT: [[NEXT]] = add nuw nsw i64 %lid.0, 1
; CHECK: br i1 {{.*}}, label %item, label %row.end, !llvm.loop [[LOOP:!\d+]]

; CHECK: define internal void @k.region.0(
; CHECK: load i32, ptr addrspace(1) %p, align 4, !alias.scope [[GLOBAL:!\d+]], !noalias [[REST:!\d+]], !llvm.access.group [[GROUP:!\d+]]
; CHECK: store i32 %v, ptr %tmp, align 4
; CHECK-NOT: access.group
; CHECK: store i32 %v, ptr addrspace(3) %local, align 4, !alias.scope {{.*}}, !llvm.access.group [[GROUP]]
; CHECK: store i32 %v, ptr %context, align 4, !alias.scope {{.*}}, !llvm.access.group [[GROUP]]
; CHECK: load volatile i32, ptr addrspace(1) %p
; CHECK-NOT: access.group
; CHECK: ret void
define internal void @k.region.0(ptr addrspace(1) %p, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
  %tmp = alloca i32
  %v = load i32, ptr addrspace(1) %p, align 4
  store i32 %v, ptr %tmp, align 4
  store i32 %v, ptr addrspace(3) %local, align 4
  store i32 %v, ptr %context, align 4
  %w = load volatile i32, ptr addrspace(1) %p, align 4
  ret void
}

; CHECK: [[LOOP]] = distinct !{[[LOOP]],
; CHECK: !{!"llvm.loop.parallel_accesses", [[GROUP]]}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
