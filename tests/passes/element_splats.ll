; RUN: element_splats O0
; One shuffle gives an element of a vector to all lanes. What is a scalar of another origin, or goes to other lanes too,
; stays as it is.

define <8 x i32> @all(<4 x i64> %wide) {
  %v = trunc <4 x i64> %wide to <4 x i32>
  %element = extractelement <4 x i32> %v, i64 1
  %one = insertelement <8 x i32> poison, i32 %element, i64 0
  %splat = shufflevector <8 x i32> %one, <8 x i32> poison, <8 x i32> zeroinitializer
  ret <8 x i32> %splat
}
; CHECK-LABEL: @all
; CHECK: [[SPLAT:%\w+]] = shufflevector <4 x i32> %v, <4 x i32> poison, <8 x i32> <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
; CHECK: ret <8 x i32> [[SPLAT]]

define <8 x i32> @others(<4 x i32> %v, i32 %x) {
  %element = extractelement <4 x i32> %v, i64 1
  %one = insertelement <8 x i32> zeroinitializer, i32 %element, i64 0
  %some = shufflevector <8 x i32> %one, <8 x i32> poison, <8 x i32> <i32 0, i32 1, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
  %scalar = insertelement <8 x i32> poison, i32 %x, i64 0
  %splat = shufflevector <8 x i32> %scalar, <8 x i32> poison, <8 x i32> zeroinitializer
  %sum = add <8 x i32> %some, %splat
  ret <8 x i32> %sum
}
; CHECK-LABEL: @others
; CHECK: shufflevector <8 x i32> %one
; CHECK: shufflevector <8 x i32> %scalar
