; RUN: optimize
; Kernels of one module: the loops of work-items are LLVM's to make vectors of, those with vectors are left by its
; vectorizers as they are.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define void @__clpy_kernel.items(
; CHECK: load <4 x float>
; CHECK-LABEL: define void @__clpy_kernel.vectors(
; CHECK-NOT: <4 x float>
; CHECK: load float
; CHECK-NOT: optnone
; CHECK-NOT: noinline
define void @__clpy_kernel.items(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr %a, i64 %i
  %q = getelementptr float, ptr %b, i64 %i
  %x = load float, ptr %p
  %y = fmul float %x, %x
  store float %y, ptr %q
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

define void @__clpy_kernel.vectors(ptr noalias %a, ptr noalias %b, i64 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr %a, i64 %i
  %q = getelementptr float, ptr %b, i64 %i
  %x = load float, ptr %p
  %y = fmul float %x, %x
  store float %y, ptr %q
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

attributes #0 = { "clpy-vectors" }
