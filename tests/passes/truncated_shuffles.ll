; RUN: truncated_shuffles
; A vector truncated from 64 bits is shuffled in narrow elements of what it was. What else uses it, and what is truncated
; from less, stays as it is.

define <2 x i32> @pair(<4 x i64> %wide) {
  %v = trunc <4 x i64> %wide to <4 x i32>
  %two = shufflevector <4 x i32> %v, <4 x i32> poison, <2 x i32> <i32 1, i32 3>
  ret <2 x i32> %two
}
; CHECK-LABEL: @pair
; CHECK-NOT: trunc
; CHECK: [[WHOLE:%\w+]] = bitcast <4 x i64> %wide to <8 x i32>
; CHECK: [[LOW:%\w+]] = shufflevector <8 x i32> [[WHOLE]], <8 x i32> poison, <4 x i32> <i32 0, i32 2, i32 4, i32 6>
; CHECK: %two = shufflevector <4 x i32> [[LOW]], <4 x i32> poison, <2 x i32> <i32 1, i32 3>

define <4 x i16> @both(<2 x i64> %wide, ptr %p) {
  %v = trunc <2 x i64> %wide to <2 x i16>
  store <2 x i16> %v, ptr %p
  %twice = shufflevector <2 x i16> %v, <2 x i16> %v, <4 x i32> <i32 0, i32 3, i32 1, i32 2>
  ret <4 x i16> %twice
}
; CHECK-LABEL: @both
; CHECK: [[LOW:%\w+]] = shufflevector <8 x i16> {{%\w+}}, <8 x i16> poison, <2 x i32> <i32 0, i32 4>
; CHECK: store <2 x i16> %v
; CHECK: shufflevector <2 x i16> [[LOW]], <2 x i16> [[LOW]], <4 x i32>

define <2 x i16> @less(<4 x i32> %wide) {
  %v = trunc <4 x i32> %wide to <4 x i16>
  %two = shufflevector <4 x i16> %v, <4 x i16> poison, <2 x i32> <i32 1, i32 3>
  ret <2 x i16> %two
}
; CHECK-LABEL: @less
; CHECK: shufflevector <4 x i16> %v
