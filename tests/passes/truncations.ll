; RUN: truncations
; What goes from double to an integer and back alone is cut off; -0 is 0. An integer that something else uses, floats and
; what changes its sign on the way stay.

; CHECK-LABEL: define double @alone(
; CHECK-NEXT: [[CUT:%\w+]] = call double @llvm.trunc.f64(double %x)
; CHECK-NEXT: %{{.*}} = fadd double [[CUT]], 0.0
; CHECK-NEXT: ret double
define double @alone(double %x) {
  %i = fptosi double %x to i32
  %y = sitofp i32 %i to double
  ret double %y
}

; CHECK-LABEL: define <2 x double> @vectors(
; CHECK-NEXT: call <2 x double> @llvm.trunc.v2f64(<2 x double> %x)
; CHECK-NEXT: fadd <2 x double> {{.*}}zero
; CHECK-NEXT: ret
define <2 x double> @vectors(<2 x double> %x) {
  %i = fptoui <2 x double> %x to <2 x i64>
  %y = uitofp <2 x i64> %i to <2 x double>
  ret <2 x double> %y
}

; CHECK-LABEL: define double @used(
; CHECK-NOT: trunc
; CHECK: ret double
define double @used(double %x, float %f, ptr %p) {
  %i = fptosi double %x to i32
  store i32 %i, ptr %p
  %y = sitofp i32 %i to double
  %u = fptoui double %y to i32
  %v = sitofp i32 %u to double
  %k = fptosi float %f to i32
  %w = sitofp i32 %k to double
  %s = fadd double %v, %w
  ret double %s
}
