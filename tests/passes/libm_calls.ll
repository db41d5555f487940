; RUN: libm_calls bits=256
; A short kernel calls the C library's functions of double, which have vector forms; one with more of them, one that calls
; functions of its own, and any other function keep the library's arithmetic.
declare double @_Z3sind(double)
declare double @_Z3logd(double)
declare float @_Z3sinf(float)
define internal double @own(double %x) {
  ret double %x
}

; CHECK-LABEL: define spir_kernel void @short(
; CHECK: [[S:%\w+]] = call double @sin(double %x)
; CHECK: [[L:%\w+]] = call double @log10(double [[S]])
; CHECK: [[P:%\w+]] = fmul double [[L]], 0x3FD35D8DDDAAA8AC
; CHECK: [[T:%\w+]] = fmul double [[L]], 2.000000e+00
; CHECK: fadd double [[P]], [[T]]
; CHECK: call float @_Z3sinf(float %y)
define spir_kernel void @short(double %x, float %y, ptr addrspace(1) %out) {
  %s = call double @_Z3sind(double %x)
  %l = call double @_Z3logd(double %s)
  %f = call float @_Z3sinf(float %y)
  store double %l, ptr addrspace(1) %out
  ret void
}

; CHECK-LABEL: define spir_kernel void @several(
; CHECK-NOT: @sin(
; CHECK: ret void
define spir_kernel void @several(double %x) {
  %a = call double @_Z3sind(double %x)
  %b = call double @_Z3sind(double %a)
  %c = call double @_Z3sind(double %b)
  %d = call double @_Z3sind(double %c)
  ret void
}

; CHECK-LABEL: define spir_kernel void @with_own(
; CHECK-NOT: @sin(
; CHECK: ret void
define spir_kernel void @with_own(double %x) {
  %a = call double @_Z3sind(double %x)
  %b = call double @own(double %a)
  ret void
}

; CHECK-LABEL: define double @no_kernel(
; CHECK: call double @_Z3sind(double %x)
define double @no_kernel(double %x) {
  %a = call double @_Z3sind(double %x)
  ret double %a
}
