; RUN: own_forms bits=512 first
; Code that is made again calls what all programs share: for a vector, for a number, and forms of double that it calls
; often. What is not shared is a function of the module.
declare <16 x float> @_Z3sinDv16_f(<16 x float>)
declare <16 x float> @_Z3expDv16_f(<16 x float>)
declare <8 x double> @__clpy_exp_8(<8 x double>)
declare <8 x double> @__clpy_log_8(<8 x double>)

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
; CHECK: call <8 x double> @__clpy_log_8(
define void @of_vectors(ptr %p, ptr %q, float %u) {
  %x = load <16 x float>, ptr %p
  %s = call <16 x float> @_Z3sinDv16_f(<16 x float> %x)
  %t = call float @_Z3sinf(float %u)
  %w = insertelement <16 x float> %s, float %t, i64 0
  %e = call <16 x float> @_Z3expDv16_f(<16 x float> %w)
  store <16 x float> %e, ptr %p
  %d = load <8 x double>, ptr %q
  %f0 = call <8 x double> @__clpy_exp_8(<8 x double> %d)
  %f1 = call <8 x double> @__clpy_exp_8(<8 x double> %f0)
  %f2 = call <8 x double> @__clpy_exp_8(<8 x double> %f1)
  %f3 = call <8 x double> @__clpy_exp_8(<8 x double> %f2)
  %f4 = call <8 x double> @__clpy_exp_8(<8 x double> %f3)
  %f5 = call <8 x double> @__clpy_exp_8(<8 x double> %f4)
  %f6 = call <8 x double> @__clpy_exp_8(<8 x double> %f5)
  %f7 = call <8 x double> @__clpy_exp_8(<8 x double> %f6)
  %f8 = call <8 x double> @__clpy_exp_8(<8 x double> %f7)
  %f9 = call <8 x double> @__clpy_exp_8(<8 x double> %f8)
  %f10 = call <8 x double> @__clpy_exp_8(<8 x double> %f9)
  %f11 = call <8 x double> @__clpy_exp_8(<8 x double> %f10)
  %f12 = call <8 x double> @__clpy_exp_8(<8 x double> %f11)
  %f13 = call <8 x double> @__clpy_exp_8(<8 x double> %f12)
  %f14 = call <8 x double> @__clpy_exp_8(<8 x double> %f13)
  %f15 = call <8 x double> @__clpy_exp_8(<8 x double> %f14)
  %f16 = call <8 x double> @__clpy_exp_8(<8 x double> %f15)
  %f17 = call <8 x double> @__clpy_exp_8(<8 x double> %f16)
  %f18 = call <8 x double> @__clpy_exp_8(<8 x double> %f17)
  %f19 = call <8 x double> @__clpy_exp_8(<8 x double> %f18)
  %f20 = call <8 x double> @__clpy_exp_8(<8 x double> %f19)
  %f21 = call <8 x double> @__clpy_exp_8(<8 x double> %f20)
  %f22 = call <8 x double> @__clpy_exp_8(<8 x double> %f21)
  %f23 = call <8 x double> @__clpy_exp_8(<8 x double> %f22)
  %f24 = call <8 x double> @__clpy_exp_8(<8 x double> %f23)
  %f25 = call <8 x double> @__clpy_exp_8(<8 x double> %f24)
  %f26 = call <8 x double> @__clpy_exp_8(<8 x double> %f25)
  %f27 = call <8 x double> @__clpy_exp_8(<8 x double> %f26)
  %f28 = call <8 x double> @__clpy_exp_8(<8 x double> %f27)
  %f29 = call <8 x double> @__clpy_exp_8(<8 x double> %f28)
  %f = call <8 x double> @__clpy_log_8(<8 x double> %f29)
  store <8 x double> %f, ptr %q
  ret void
}
attributes #0 = { noinline "clpy-forms"="_Z3sinDv{}_f" "clpy-shared" }
attributes #1 = { noinline "clpy-forms"="_Z3expDv{}_f" }

; CHECK: declare <16 x float> @__clpy_library._Z3sinDv16_f(<16 x float>)
; CHECK: define internal {{.*}}<16 x float> @_Z3expDv16_f(
