; RUN: uniform_masks bits=256
; A bit that is the same for all lanes joins a comparison of floats as 0 or -1 of 32 bits, once for all of a block.
define void @__clpy_kernel.joined(<8 x float> %x, <8 x float> %y, i1 %b, ptr %p) {
  %one = insertelement <8 x i1> poison, i1 %b, i64 0
  %all = shufflevector <8 x i1> %one, <8 x i1> poison, <8 x i32> zeroinitializer
  %near = fcmp olt <8 x float> %x, %y
  %both = and <8 x i1> %near, %all
  %r = select <8 x i1> %both, <8 x float> %x, <8 x float> zeroinitializer
  store <8 x float> %r, ptr %p
  %chosen = select i1 %b, <8 x float> %x, <8 x float> %y
  store <8 x float> %chosen, ptr %p
  ret void
}
; CHECK-LABEL: define void @__clpy_kernel.joined
; CHECK: [[S:%\w+]] = sext i1 %b to i32
; CHECK-NEXT: [[ONE:%\w+]] = insertelement <8 x i32> poison, i32 [[S]], i64 0
; CHECK-NEXT: [[ALL:%\w+]] = shufflevector <8 x i32> [[ONE]], <8 x i32> poison, <8 x i32> zeroinitializer
; CHECK-NEXT: [[MASK:%\w+]] = icmp slt <8 x i32> [[ALL]], zeroinitializer
; CHECK: and <8 x i1> %near, [[MASK]]
; CHECK: %chosen = select <8 x i1> [[MASK]], <8 x float> %x, <8 x float> %y

; Doubles get 64 bits, a mask under a bit that of what it compares.
define <4 x double> @__clpy_kernel.doubles(<4 x double> %x, <4 x double> %y, i1 %b) {
  %near = fcmp olt <4 x double> %x, %y
  %both = select i1 %b, <4 x i1> %near, <4 x i1> zeroinitializer
  %r = select <4 x i1> %both, <4 x double> %x, <4 x double> zeroinitializer
  ret <4 x double> %r
}
; CHECK-LABEL: define <4 x double> @__clpy_kernel.doubles
; CHECK: sext i1 %b to i64
; CHECK: [[MASK:%\w+]] = icmp slt <4 x i64>
; CHECK: %both = select <4 x i1> [[MASK]], <4 x i1> %near, <4 x i1> zeroinitializer

; A bit that masks memory alone, scalars, and what is known, stay as they are.
define float @__clpy_kernel.others(<8 x float> %x, float %s, float %t, i1 %b, ptr %p) {
  %one = insertelement <8 x i1> poison, i1 %b, i64 0
  %all = shufflevector <8 x i1> %one, <8 x i1> poison, <8 x i32> zeroinitializer
  call void @llvm.masked.store.v8f32.p0(<8 x float> %x, ptr %p, i32 4, <8 x i1> %all)
  %r = select i1 %b, float %s, float %t
  ret float %r
}
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32 immarg, <8 x i1>)
; CHECK-LABEL: define float @__clpy_kernel.others
; CHECK: %all = shufflevector <8 x i1> %one
; CHECK: %r = select i1 %b, float %s, float %t
