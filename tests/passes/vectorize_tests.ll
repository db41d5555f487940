; RUN: vectorize width=4
; A bound of ids is compared at the ends of a vector: at the last work-item whether all meet it, at the first whether any does. Bounds from below are the other way around; of two tests together the mask tells whether any work-item meets both.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1
declare void @b.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #3

; CHECK-LABEL: define internal void @k.region.0.all4(
; CHECK: [[LIMIT:%\w+]] = sext i32 %n to i64
; CHECK: [[ANY:%\w+]] = icmp slt i64 {{%\w+}}, [[LIMIT]]
; CHECK: [[LAST:%\w+]] = add i64 {{%\w+}}, 3
; CHECK: icmp slt i64 [[LAST]], {{%\w+}}
; CHECK: br i1 {{%\w+}}, label %entry, label %body1
; CHECK: br i1 {{%\w+}}, label %body, label %end
; CHECK-NOT: icmp ne i4
; CHECK-LABEL: define internal void @k.region.0.some4(
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %i = trunc i64 %lid.0 to i32
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %body, label %end
body:
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %lid.0
  %x = load i32, ptr addrspace(1) %pa
  %pc = getelementptr i32, ptr addrspace(1) %c, i64 %lid.0
  %y = mul i32 %x, 3
  store i32 %y, ptr addrspace(1) %pc
  br label %end
end:
  ret void
}

; CHECK-LABEL: define internal void @b.region.0.all4(
; CHECK: icmp ne i4
; CHECK: [[LOW:%\w+]] = icmp slt i64 0, {{%\w+}}
; CHECK: [[LAST:%\w+]] = add i64 {{%\w+}}, 3
; CHECK: [[HIGH:%\w+]] = icmp slt i64 [[LAST]], {{%\w+}}
; CHECK: and i1 [[LOW]], [[HIGH]]
define internal void @b.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #2 {
entry:
  %i = trunc i64 %lid.0 to i32
  %above = icmp sgt i32 %i, 0
  %below = icmp slt i32 %i, %n
  %inside = select i1 %above, i1 %below, i1 false
  br i1 %inside, label %body, label %end
body:
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %lid.0
  %x = load i32, ptr addrspace(1) %pa
  %pc = getelementptr i32, ptr addrspace(1) %c, i64 %lid.0
  %y = mul i32 %x, 3
  store i32 %y, ptr addrspace(1) %pc
  br label %end
end:
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
attributes #2 = { "clpy-kernel"="b" "clpy-role"="region" "clpy-exits"="none" }
attributes #3 = { "clpy-kernel"="b" "clpy-role"="foreach" }
