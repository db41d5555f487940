; RUN: libm_calls bits=512
; Wide vectors have forms of these functions in the library: all become calls of the C library's, in any function. sin and
; cos of the same number stay arithmetic, most of which they have in common.
declare double @_Z3sind(double)
declare double @_Z3cosd(double)
declare double @_Z3logd(double)
declare double @_Z3powdd(double, double)
declare double @_Z4powndi(double, i32)
declare float @_Z4pownfi(float, i32)
declare double @_Z3erfd(double)
declare float @_Z3sinf(float)
declare <2 x double> @_Z3logDv2_d(<2 x double>)

; CHECK-LABEL: define double @own(
; CHECK: call double @sin(double %x)
; CHECK: call double @log(
; CHECK: call double @pow(
define double @own(double %x) {
  %s = call double @_Z3sind(double %x)
  %l = call double @_Z3logd(double %s)
  %p = call double @_Z3powdd(double %l, double %x)
  ret double %p
}

; CHECK-LABEL: define spir_kernel void @both(
; CHECK: call double @_Z3sind(double %x)
; CHECK: call double @_Z3cosd(double %x)
; CHECK: call double @cos(double %s)
; CHECK: call float @_Z3sinf(float %y)
; CHECK: call <2 x double> @_Z3logDv2_d(
define spir_kernel void @both(double %x, float %y, <2 x double> %z) {
  %s = call double @_Z3sind(double %x)
  %c = call double @_Z3cosd(double %x)
  %d = call double @_Z3cosd(double %s)
  %f = call float @_Z3sinf(float %y)
  %v = call <2 x double> @_Z3logDv2_d(<2 x double> %z)
  ret void
}

; A double holds any int. The error function has a form as well.
; CHECK-LABEL: define double @whole(
; CHECK: [[Y:%\w+]] = sitofp i32 %n to double
; CHECK: [[P:%\w+]] = call double @pow(double %x, double [[Y]])
; CHECK: call double @erf(double [[P]])
; CHECK: call float @_Z4pownfi(
define double @whole(double %x, i32 %n, float %y) {
  %p = call double @_Z4powndi(double %x, i32 %n)
  %e = call double @_Z3erfd(double %p)
  %f = call float @_Z4pownfi(float %y, i32 %n)
  ret double %e
}
