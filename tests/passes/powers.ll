; RUN: powers
; Powers to small constants are products, and to one half a root that is none of a zero's sign; what has no constant, or a
; large one, stays a call, and so does a function of the program's own.
declare double @_Z3powdd(double, double)
declare float @_Z4powrff(float, float)
declare <2 x float> @_Z4pownDv2_fDv2_i(<2 x float>, <2 x i32>)

; CHECK-LABEL: define double @products(
; CHECK: [[S:%\w+]] = fmul double %x, %x
; CHECK: [[T:%\w+]] = fmul double %x, %x
; CHECK: [[C:%\w+]] = fmul double [[T]], %x
; CHECK: fdiv double 1.000000e+00, %x
; CHECK: call double @_Z3powdd(double %x, double %y)
; CHECK: call double @_Z3powdd(double %x, double 1.700000e+00)
define double @products(double %x, double %y) {
  %a = call double @_Z3powdd(double %x, double 2.0)
  %b = call double @_Z3powdd(double %x, double 3.0)
  %c = call double @_Z3powdd(double %x, double -1.0)
  %d = call double @_Z3powdd(double %x, double %y)
  %e = call double @_Z3powdd(double %x, double 1.7)
  %s = fadd double %a, %b
  %t = fadd double %s, %c
  %u = fadd double %t, %d
  %v = fadd double %u, %e
  ret double %v
}

; CHECK-LABEL: define float @roots(
; CHECK: [[R:%\w+]] = call float @llvm.sqrt.f32(float %x)
; CHECK: [[P:%\w+]] = fadd float [[R]], 0.000000e+00
; CHECK: fcmp oeq float %x, 0xFFF0000000000000
; CHECK: fcmp olt float %x, 0.000000e+00
define float @roots(float %x) {
  %a = call float @_Z4powrff(float %x, float 0.5)
  ret float %a
}

; CHECK-LABEL: define <2 x float> @vectors(
; CHECK: [[S:%\w+]] = fmul <2 x float> %x, %x
; CHECK: fmul <2 x float> [[S]], [[S]]
define <2 x float> @vectors(<2 x float> %x) {
  %a = call <2 x float> @_Z4pownDv2_fDv2_i(<2 x float> %x, <2 x i32> splat (i32 4))
  ret <2 x float> %a
}

; CHECK-LABEL: define float @own(
; CHECK: call float @_Z3powff(float %x, float 2.000000e+00)
define float @own(float %x) {
  %a = call float @_Z3powff(float %x, float 2.0)
  ret float %a
}
define internal float @_Z3powff(float %x, float %y) {
  ret float %y
}
