; RUN: half_products
; What may be fused is not fused for halves, alone or in vectors; other types stay as they are.
declare half @llvm.fmuladd.f16(half, half, half)
declare <4 x half> @llvm.fmuladd.v4f16(<4 x half>, <4 x half>, <4 x half>)
declare float @llvm.fmuladd.f32(float, float, float)
declare half @llvm.fma.f16(half, half, half)

; CHECK-LABEL: define half @one
; CHECK: [[P:%\w+]] = fmul half %x, %y
; CHECK-NEXT: [[S:%\w+]] = fadd half [[P]], %z
; CHECK-NEXT: ret half [[S]]
define half @one(half %x, half %y, half %z) {
  %s = call half @llvm.fmuladd.f16(half %x, half %y, half %z)
  ret half %s
}

; CHECK-LABEL: define <4 x half> @four
; CHECK: [[P:%\w+]] = fmul <4 x half> %x, %y
; CHECK-NEXT: [[S:%\w+]] = fadd <4 x half> [[P]], %z
; CHECK-NEXT: ret <4 x half> [[S]]
define <4 x half> @four(<4 x half> %x, <4 x half> %y, <4 x half> %z) {
  %s = call fast <4 x half> @llvm.fmuladd.v4f16(<4 x half> %x, <4 x half> %y, <4 x half> %z)
  ret <4 x half> %s
}

; CHECK-LABEL: define float @others
; CHECK-NEXT: %h = call half @llvm.fma.f16(half %a, half %a, half %a)
; CHECK-NEXT: %s = call float @llvm.fmuladd.f32(float %x, float %x, float %x)
define float @others(float %x, half %a) {
  %h = call half @llvm.fma.f16(half %a, half %a, half %a)
  %s = call float @llvm.fmuladd.f32(float %x, float %x, float %x)
  %w = fpext half %h to float
  %t = fadd float %s, %w
  ret float %t
}
