; RUN: vector_math
; Functions of libm with vector forms name them, for 4, 8 and 16 lanes; LLVM's intrinsics become calls of libm.
; CHECK: @llvm.compiler.used = appending global {{.*}}@_ZGVbN4v_sinf
; CHECK-LABEL: define float @f
; CHECK: call float @sinf(float %x)
; CHECK: call fast float @expf(float %a)
; CHECK: call float @powf(
; CHECK: call float @floorf(
; CHECK: call <4 x float> @llvm.exp.v4f32
; CHECK: declare <4 x float> @_ZGVbN4v_sinf(<4 x float>)
; CHECK: declare <16 x float> @_ZGVeN16v_sinf(<16 x float>)
; CHECK: "vector-function-abi-variant"="_ZGVbN4v_sinf(_ZGVbN4v_sinf),_ZGVdN8v_sinf(_ZGVdN8v_sinf),_ZGVeN16v_sinf(_ZGVeN16v_sinf)"
; CHECK: _ZGVbN4vv_powf(_ZGVbN4vv_powf)
declare float @sinf(float)
declare float @floorf(float)
declare float @llvm.exp.f32(float)
declare <4 x float> @llvm.exp.v4f32(<4 x float>)
declare float @powf(float, float)

define float @f(float %x, <4 x float> %v) {
  %a = call float @sinf(float %x)
  %b = call fast float @llvm.exp.f32(float %a)
  %c = call float @powf(float %a, float %b)
  %d = call float @floorf(float %c)
  %e = call <4 x float> @llvm.exp.v4f32(<4 x float> %v)
  ret float %d
}
