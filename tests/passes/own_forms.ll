; RUN: own_forms
; The form that the vectorizer called comes with the module: a table in two registers, a polynomial, a power of two.
declare <8 x double> @__clpy_exp_8(<8 x double>)

; CHECK-LABEL: define void @of_eight(
; CHECK: call <8 x double> @__clpy_exp_8(
define void @of_eight(ptr %p) {
  %x = load <8 x double>, ptr %p
  %y = call <8 x double> @__clpy_exp_8(<8 x double> %x)
  store <8 x double> %y, ptr %p
  ret void
}

; CHECK-LABEL: define internal {{.*}}<8 x double> @__clpy_exp_8(
; CHECK: <8 x double> @llvm.x86.avx512.vpermi2var.pd.512(
; CHECK: <8 x double> @llvm.x86.avx512.mask.scalef.pd.512(
