; RUN: lane_masks bits=256
; The mask of a loop's lanes goes from turn to turn as wide as what is compared, and where another block looks at it, it is made of that again.

; CHECK-LABEL: define void @__clpy_kernel.k(
; CHECK: head:
; CHECK: %[[LIVE:.+]] = phi <8 x i32> [ splat (i32 -1), %entry ], [ %[[NEXT:.+]], %body ]
; CHECK: %[[HERE:.+]] = icmp slt <8 x i32> %[[LIVE]], zeroinitializer
; CHECK: body:
; CHECK: %[[THERE:.+]] = icmp slt <8 x i32> %[[LIVE]], zeroinitializer
; CHECK: %less = fcmp
; CHECK: %go = select <8 x i1> %[[THERE]], <8 x i1> %less, <8 x i1> zeroinitializer
; CHECK: %[[WIDE:.+]] = sext <8 x i1> %less to <8 x i32>
; CHECK: %[[NEXT]] = select <8 x i1> %[[THERE]], <8 x i32> %[[WIDE]], <8 x i32> zeroinitializer
; CHECK: end:
; CHECK-NOT: phi <8 x i1>
define void @__clpy_kernel.k(ptr %a, ptr %o) {
entry:
  br label %head
head:
  %m = phi <8 x i1> [ splat (i1 true), %entry ], [ %go, %body ]
  %x = phi <8 x float> [ zeroinitializer, %entry ], [ %y, %body ]
  %bits = bitcast <8 x i1> %m to i8
  %none = icmp eq i8 %bits, 0
  br i1 %none, label %end, label %body
body:
  %v = load <8 x float>, ptr %a
  %y = fadd <8 x float> %x, %v
  %less = fcmp olt <8 x float> %y, splat (float 4.0)
  %go = select <8 x i1> %m, <8 x i1> %less, <8 x i1> zeroinitializer
  br label %head
end:
  store <8 x float> %x, ptr %o
  ret void
}
