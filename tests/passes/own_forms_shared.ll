; RUN: own_forms bits=512 first
; Code that is made again calls what all programs share: for a vector, for a number, and the forms of double. What is not
; shared is a function of the module.
declare <16 x float> @_Z3sinDv16_f(<16 x float>)
declare <16 x float> @_Z3expDv16_f(<16 x float>)
declare <8 x double> @__clpy_exp_8(<8 x double>)

define internal float @_Z3sinf(float %x) #0 {
  ret float %x
}
define internal float @_Z3expf(float %x) #1 {
  ret float %x
}

; CHECK-LABEL: define void @of_vectors(
; CHECK: call <16 x float> @__clpy_library._Z3sinDv16_f(
; CHECK: call float @__clpy_library._Z3sinf(
; CHECK: call <16 x float> @_Z3expDv16_f(
; CHECK: call <8 x double> @__clpy_library.__clpy_exp_8(
define void @of_vectors(ptr %p, ptr %q, float %u) {
  %x = load <16 x float>, ptr %p
  %s = call <16 x float> @_Z3sinDv16_f(<16 x float> %x)
  %t = call float @_Z3sinf(float %u)
  %w = insertelement <16 x float> %s, float %t, i64 0
  %e = call <16 x float> @_Z3expDv16_f(<16 x float> %w)
  store <16 x float> %e, ptr %p
  %d = load <8 x double>, ptr %q
  %f = call <8 x double> @__clpy_exp_8(<8 x double> %d)
  store <8 x double> %f, ptr %q
  ret void
}
attributes #0 = { noinline "clpy-forms"="_Z3sinDv{}_f" "clpy-shared" }
attributes #1 = { noinline "clpy-forms"="_Z3expDv{}_f" }

; CHECK: declare <16 x float> @__clpy_library._Z3sinDv16_f(<16 x float>)
; CHECK: define internal {{.*}}<16 x float> @_Z3expDv16_f(
