; RUN: unroll
; A loop of one turn is none, whatever is in it; one that may have more turns, or a barrier, stays.
declare void @_Z7barrierj(i32) convergent

; CHECK-LABEL: define spir_kernel void @rows
; CHECK-NOT: phi i1
; CHECK: icmp slt i32 %y, %n
; CHECK-NOT: phi i1
; CHECK: ret void
define spir_kernel void @rows(ptr addrspace(1) %o, i32 %y, i32 %n) {
entry:
  br label %header
header:
  %first = phi i1 [ true, %entry ], [ false, %latch ]
  %row = phi i32 [ %y, %entry ], [ %row1, %latch ]
  br i1 %first, label %body, label %exit
body:
  %inside = icmp slt i32 %row, %n
  br i1 %inside, label %work, label %latch
work:
  %p = getelementptr i32, ptr addrspace(1) %o, i32 %row
  store i32 1, ptr addrspace(1) %p
  br label %latch
latch:
  %row1 = add i32 %row, 1
  br label %header
exit:
  ret void
}

; CHECK-LABEL: define spir_kernel void @others
; CHECK: phi i1
; CHECK: phi i1
; CHECK: ret void
define spir_kernel void @others(ptr addrspace(1) %o, i1 %again) {
entry:
  br label %some
some:
  %first = phi i1 [ true, %entry ], [ %again, %body ]
  br i1 %first, label %body, label %next
body:
  store volatile i32 1, ptr addrspace(1) %o
  br label %some
next:
  br label %barriers
barriers:
  %once = phi i1 [ true, %next ], [ false, %wait ]
  br i1 %once, label %wait, label %exit
wait:
  call void @_Z7barrierj(i32 1)
  br label %barriers
exit:
  ret void
}
