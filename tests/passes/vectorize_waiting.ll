; RUN: vectorize width=0 bits=512
; Work-items walk along rows. Four vectors at a time where a turn of the innermost loop waits for the one before and has
; nothing else to do (`power`); a loop that has enough to do (`busy`) has one.
declare void @power.region.0.foreach(ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #3
declare void @busy.region.0.foreach(ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #5

; CHECK-LABEL: define internal void @power.region.0.foreach(
; CHECK: call void @power.region.0.all64(
; CHECK: call void @power.region.0.all16(
define internal void @power.region.0(ptr addrspace(1) %out, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #2 {
entry:
  %id = add nuw nsw i64 %gbase.0, %lid.0
  %row = mul nuw nsw i64 %id, 500
  br label %outer
outer:
  %j = phi i64 [ 0, %entry ], [ %j1, %next ]
  %s = phi float [ 0.0, %entry ], [ %s1, %next ]
  %at = add nuw nsw i64 %row, %j
  %q = getelementptr float, ptr addrspace(1) %out, i64 %at
  %v = load float, ptr addrspace(1) %q
  br label %loop
loop:
  %k = phi i32 [ 0, %outer ], [ %k1, %loop ]
  %p = phi float [ 1.0, %outer ], [ %p1, %loop ]
  %p1 = fmul float %p, %v
  %k1 = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %k1, %n
  br i1 %more, label %loop, label %next
next:
  %s1 = fadd float %s, %p1
  %j1 = add nuw nsw i64 %j, 1
  %again = icmp ult i64 %j1, 500
  br i1 %again, label %outer, label %done
done:
  %r = getelementptr float, ptr addrspace(1) %out, i64 %id
  store float %s1, ptr addrspace(1) %r
  ret void
}
attributes #2 = { "clpy-kernel"="power" "clpy-role"="region" "clpy-exits"="none" }
attributes #3 = { "clpy-kernel"="power" "clpy-role"="foreach" }

; CHECK-LABEL: define internal void @busy.region.0.foreach(
; CHECK-NOT: call void @busy.region.0.all{{(32|64)}}(
; CHECK: call void @busy.region.0.all16(
define internal void @busy.region.0(ptr addrspace(1) %out, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #4 {
entry:
  %id = add nuw nsw i64 %gbase.0, %lid.0
  %row = mul nuw nsw i64 %id, 500
  br label %outer
outer:
  %j = phi i64 [ 0, %entry ], [ %j1, %next ]
  %s = phi float [ 0.0, %entry ], [ %s1, %next ]
  %at = add nuw nsw i64 %row, %j
  %q = getelementptr float, ptr addrspace(1) %out, i64 %at
  %v = load float, ptr addrspace(1) %q
  br label %loop
loop:
  %k = phi i32 [ 0, %outer ], [ %k1, %loop ]
  %p0 = phi float [ 1.0, %outer ], [ %n0, %loop ]
  %p1 = phi float [ 1.0, %outer ], [ %n1, %loop ]
  %p2 = phi float [ 1.0, %outer ], [ %n2, %loop ]
  %p3 = phi float [ 1.0, %outer ], [ %n3, %loop ]
  %p4 = phi float [ 1.0, %outer ], [ %n4, %loop ]
  %p5 = phi float [ 1.0, %outer ], [ %n5, %loop ]
  %n0 = fmul float %p0, %v
  %n1 = fmul float %p1, %v
  %n2 = fmul float %p2, %v
  %n3 = fmul float %p3, %v
  %n4 = fmul float %p4, %v
  %n5 = fmul float %p5, %v
  %k1 = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %k1, %n
  br i1 %more, label %loop, label %next
next:
  %t0 = fadd float %s, %n0
  %t1 = fadd float %t0, %n1
  %t2 = fadd float %t1, %n2
  %t3 = fadd float %t2, %n3
  %t4 = fadd float %t3, %n4
  %s1 = fadd float %t4, %n5
  %j1 = add nuw nsw i64 %j, 1
  %again = icmp ult i64 %j1, 500
  br i1 %again, label %outer, label %done
done:
  %r = getelementptr float, ptr addrspace(1) %out, i64 %id
  store float %s1, ptr addrspace(1) %r
  ret void
}
attributes #4 = { "clpy-kernel"="busy" "clpy-role"="region" "clpy-exits"="none" }
attributes #5 = { "clpy-kernel"="busy" "clpy-role"="foreach" }

