; RUN: rare_calls bits=256
; Calls for rare arguments are made by functions that keep all registers of their callers; other calls are not.
declare <8 x float> @_ZGVdN8v_expf(<8 x float>)
declare <8 x float> @_ZGVdN8v_erff(<8 x float>)

; CHECK-LABEL: define <8 x float> @calls(
; CHECK: %y = call <8 x float> @_ZGVdN8v_erff(<8 x float> %x)
; CHECK: call preserve_allcc <8 x float> @rare._ZGVdN8v_expf(<8 x float> %y)
; CHECK: call preserve_allcc float @rare_sin(float %s)
; CHECK: call float @cold_address(float %s)
define <8 x float> @calls(<8 x float> %x, float %s, ptr %out) {
  %y = call <8 x float> @_ZGVdN8v_erff(<8 x float> %x)
  %z = call <8 x float> @_ZGVdN8v_expf(<8 x float> %y)
  %t = call float @rare_sin(float %s)
  store float %t, ptr %out
  %u = call float @cold_address(float %s)
  store float %u, ptr %out
  store ptr @cold_address, ptr %out
  ret <8 x float> %z
}

; CHECK-LABEL: define internal preserve_allcc float @rare_sin(
define internal float @rare_sin(float %x) #0 {
  %y = fmul float %x, %x
  ret float %y
}

; Somebody else may call it.
; CHECK-LABEL: define internal float @cold_address(
define internal float @cold_address(float %x) #0 {
  ret float %x
}

; CHECK-LABEL: define internal preserve_allcc <8 x float> @rare._ZGVdN8v_expf(
; CHECK: call <8 x float> @_ZGVdN8v_expf(<8 x float> %0)
; CHECK: ret <8 x float>

attributes #0 = { cold noinline nounwind }
; CHECK: attributes {{.*}}-vzeroupper
