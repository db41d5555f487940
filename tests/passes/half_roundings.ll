; RUN: half_roundings
; Vectors of halves are rounded as floats; one half, and vectors of floats, are left as they are.
declare <8 x half> @llvm.ceil.v8f16(<8 x half>)
declare <4 x half> @llvm.rint.v4f16(<4 x half>)
declare half @llvm.floor.f16(half)
declare <8 x float> @llvm.trunc.v8f32(<8 x float>)
declare <8 x half> @llvm.fabs.v8f16(<8 x half>)

; CHECK-LABEL: define <8 x half> @eight
; CHECK: [[W:%\w+]] = fpext <8 x half> %x to <8 x float>
; CHECK-NEXT: [[C:%\w+]] = call <8 x float> @llvm.ceil.v8f32(<8 x float> [[W]])
; CHECK-NEXT: [[H:%\w+]] = fptrunc <8 x float> [[C]] to <8 x half>
; CHECK-NEXT: ret <8 x half> [[H]]
define <8 x half> @eight(<8 x half> %x) {
  %r = call <8 x half> @llvm.ceil.v8f16(<8 x half> %x)
  ret <8 x half> %r
}

; CHECK-LABEL: define <4 x half> @four
; CHECK: call <4 x float> @llvm.rint.v4f32
define <4 x half> @four(<4 x half> %x) {
  %r = call <4 x half> @llvm.rint.v4f16(<4 x half> %x)
  ret <4 x half> %r
}

; CHECK-LABEL: define half @others
; CHECK-NEXT: %a = call half @llvm.floor.f16(half %x)
; CHECK-NEXT: %b = call <8 x float> @llvm.trunc.v8f32(<8 x float> %f)
; CHECK-NEXT: %c = call <8 x half> @llvm.fabs.v8f16(<8 x half> %h)
define half @others(half %x, <8 x float> %f, <8 x half> %h, ptr %p) {
  %a = call half @llvm.floor.f16(half %x)
  %b = call <8 x float> @llvm.trunc.v8f32(<8 x float> %f)
  %c = call <8 x half> @llvm.fabs.v8f16(<8 x half> %h)
  store <8 x float> %b, ptr %p
  store <8 x half> %c, ptr %p
  ret half %a
}
