; RUN: retarget,optimize
; LLVM 22 miscompiles a uniform division under a condition in a loop that it vectorizes: it does not get to. A loop
; that divides each time round is none of these, and the attribute that keeps the vectorizer off is gone at the end.
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define {{.*}}@sometimes(
; CHECK-NOT: load <
; CHECK: urem i64 10
; CHECK-LABEL: define {{.*}}@always(
; CHECK: load <
; CHECK-LABEL: define {{.*}}@never(
; CHECK: load <
; CHECK-NOT: noimplicitfloat
define void @sometimes(ptr noalias %a, ptr noalias %b, ptr noalias %c, i64 %n, i64 %len) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %pa = getelementptr i32, ptr %a, i64 %i
  %x = load i32, ptr %pa
  %three = icmp eq i32 %x, 3
  br i1 %three, label %do, label %latch
do:
  %q = urem i64 10, %n
  %pb = getelementptr i32, ptr %b, i64 %q
  %v = load i32, ptr %pb
  %pc = getelementptr i32, ptr %c, i64 %i
  store i32 %v, ptr %pc
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %len
  br i1 %more, label %loop, label %done, !llvm.loop !0
done:
  ret void
}

define void @always(ptr noalias %a, ptr noalias %b, ptr noalias %c, i64 %n, i64 %len) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %pa = getelementptr i32, ptr %a, i64 %i
  %x = load i32, ptr %pa
  %q = urem i64 10, %n
  %pb = getelementptr i32, ptr %b, i64 %q
  %v = load i32, ptr %pb
  %s = add i32 %v, %x
  %pc = getelementptr i32, ptr %c, i64 %i
  store i32 %s, ptr %pc
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %len
  br i1 %more, label %loop, label %done, !llvm.loop !0
done:
  ret void
}

define void @never(ptr noalias %a, ptr noalias %c, i64 %len) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %pa = getelementptr i32, ptr %a, i64 %i
  %x = load i32, ptr %pa
  %third = udiv i32 %x, 3
  %pc = getelementptr i32, ptr %c, i64 %i
  store i32 %third, ptr %pc
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %len
  br i1 %more, label %loop, label %done, !llvm.loop !0
done:
  ret void
}

!0 = distinct !{!0, !1, !2}
!1 = !{!"llvm.loop.vectorize.enable", i1 true}
!2 = !{!"llvm.loop.vectorize.width", i32 4}
