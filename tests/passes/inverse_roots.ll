; RUN: inverse_roots bits=512
; rsqrt of floats, whose division has the flag, by the estimate and a step, for each register; what is no number by it is the estimate. Others lose the flag: LLVM's estimates know no 0.

; CHECK-LABEL: define <32 x float> @two_registers(
; CHECK: call <16 x float> @llvm.x86.avx512.rsqrt14.ps.512(
; CHECK: call <16 x float> @llvm.fma.v16f32(
; CHECK: fcmp uno <16 x float>
; CHECK: call <16 x float> @llvm.x86.avx512.rsqrt14.ps.512(
; CHECK-NOT: fdiv
; CHECK: ret <32 x float>
define <32 x float> @two_registers(<32 x float> %x) {
  %root = call arcp <32 x float> @llvm.sqrt.v32f32(<32 x float> %x)
  %y = fdiv arcp <32 x float> splat (float 1.0), %root
  ret <32 x float> %y
}

; CHECK-LABEL: define <8 x float> @less(
; CHECK: call <8 x float> @llvm.x86.avx512.rsqrt14.ps.256(
; CHECK: ret <8 x float>
define <8 x float> @less(<8 x float> %x) {
  %root = call <8 x float> @llvm.sqrt.v8f32(<8 x float> %x)
  %y = fdiv arcp <8 x float> splat (float 1.0), %root
  ret <8 x float> %y
}

; CHECK-LABEL: define <16 x float> @of_the_program(
; CHECK: fdiv <16 x float> splat
; CHECK: ret <16 x float>
define <16 x float> @of_the_program(<16 x float> %x) {
  %root = call <16 x float> @llvm.sqrt.v16f32(<16 x float> %x)
  %y = fdiv <16 x float> splat (float 1.0), %root
  ret <16 x float> %y
}

; CHECK-LABEL: define float @one(
; CHECK: fdiv float 1.0
; CHECK: ret float
define float @one(float %x) {
  %root = call float @llvm.sqrt.f32(float %x)
  %y = fdiv arcp float 1.0, %root
  ret float %y
}

; CHECK-LABEL: define <16 x float> @relaxed(
; CHECK: fdiv fast <16 x float>
; CHECK: ret <16 x float>
define <16 x float> @relaxed(<16 x float> %x) {
  %root = call fast <16 x float> @llvm.sqrt.v16f32(<16 x float> %x)
  %y = fdiv fast <16 x float> splat (float 1.0), %root
  ret <16 x float> %y
}
