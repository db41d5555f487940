; RUN: vectorize width=4
; What a parameter's attributes vouch for is read whether a lane takes part or not: it is the same for all, also where
; none may be left, and a branch on it stays a branch. A place that nobody vouches for is read under the mask.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(2), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.all4(
; CHECK: [[P:%\d+]] = getelementptr i8, ptr addrspace(2) %image, i64 8
; CHECK: [[KIND:%\d+]] = load i32, ptr addrspace(2) [[P]], align 8
; CHECK: [[IS:%\d+]] = icmp eq i32 [[KIND]], 7
; CHECK: br i1 [[IS]]
; CHECK-LABEL: define internal void @k.region.0.some4(
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(2) dereferenceable(16) %image, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %id = add i64 %gbase.0, %lid.0
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %id
  %n = load i32, ptr addrspace(1) %pa, align 4
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %again ]
  %s = phi i32 [ 0, %entry ], [ %sum, %again ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %done
body:
  %pk = getelementptr i8, ptr addrspace(2) %image, i64 8
  %kind = load i32, ptr addrspace(2) %pk, align 8
  %is = icmp eq i32 %kind, 7
  br i1 %is, label %one, label %other
one:
  %p1 = getelementptr i32, ptr addrspace(1) %a, i32 %i
  %v1 = load i32, ptr addrspace(1) %p1, align 4
  br label %again
other:
  %v2 = mul i32 %i, 3
  br label %again
again:
  %v = phi i32 [ %v1, %one ], [ %v2, %other ]
  %sum = add i32 %s, %v
  %next = add i32 %i, 1
  br label %loop
done:
  store i32 %s, ptr addrspace(1) %pa, align 4
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
