; RUN: interchange
; for j < n: for k < m: c[j] += a[k * n + j] goes along rows of a with k outside; c is added to in the same order. Where a may be written through c the loops stay.

; CHECK-LABEL: define spir_kernel void @rows(
; CHECK: outer:
; CHECK: icmp slt i32 %j, %m
; CHECK: inner:
; CHECK: icmp slt i32 %k, %n
; CHECK: mul nsw i32 %j, %n
; CHECK: getelementptr i32, ptr addrspace(1) %c, i64
; CHECK: %k.next = add nuw nsw i32 %k, 1
define spir_kernel void @rows(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %c, i32 %n, i32 %m) {
entry:
  br label %outer
outer:
  %j = phi i32 [ 0, %entry ], [ %j.next, %latch ]
  %more = icmp slt i32 %j, %n
  br i1 %more, label %inner, label %end
inner:
  %k = phi i32 [ 0, %outer ], [ %k.next, %body ]
  %again = icmp slt i32 %k, %m
  br i1 %again, label %body, label %latch
body:
  %row = mul nsw i32 %k, %n
  %at = add nsw i32 %row, %j
  %at.wide = sext i32 %at to i64
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %at.wide
  %x = load i32, ptr addrspace(1) %pa
  %j.wide = zext nneg i32 %j to i64
  %pc = getelementptr i32, ptr addrspace(1) %c, i64 %j.wide
  %old = load i32, ptr addrspace(1) %pc
  %new = add i32 %old, %x
  store i32 %new, ptr addrspace(1) %pc
  %k.next = add nuw nsw i32 %k, 1
  br label %inner
latch:
  %j.next = add nuw nsw i32 %j, 1
  br label %outer
end:
  ret void
}

; CHECK-LABEL: define spir_kernel void @may_overlap(
; CHECK: icmp slt i32 %j, %n
; CHECK: icmp slt i32 %k, %m
; CHECK: mul nsw i32 %k, %n
define spir_kernel void @may_overlap(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n, i32 %m) {
entry:
  br label %outer
outer:
  %j = phi i32 [ 0, %entry ], [ %j.next, %latch ]
  %more = icmp slt i32 %j, %n
  br i1 %more, label %inner, label %end
inner:
  %k = phi i32 [ 0, %outer ], [ %k.next, %body ]
  %again = icmp slt i32 %k, %m
  br i1 %again, label %body, label %latch
body:
  %row = mul nsw i32 %k, %n
  %at = add nsw i32 %row, %j
  %at.wide = sext i32 %at to i64
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %at.wide
  %x = load i32, ptr addrspace(1) %pa
  %j.wide = zext nneg i32 %j to i64
  %pc = getelementptr i32, ptr addrspace(1) %c, i64 %j.wide
  %old = load i32, ptr addrspace(1) %pc
  %new = add i32 %old, %x
  store i32 %new, ptr addrspace(1) %pc
  %k.next = add nuw nsw i32 %k, 1
  br label %inner
latch:
  %j.next = add nuw nsw i32 %j, 1
  br label %outer
end:
  ret void
}
