; RUN: libm_calls bits=256 first
; Code that is made again once it has run for long calls the C library's sine and cosine of float: as arithmetic each takes
; as long to compile as the rest of a small kernel. Vectors of them, and other functions, stay what they are.
declare float @_Z3sinf(float)
declare float @_Z3cosf(float)
declare float @_Z3expf(float)
declare <4 x float> @_Z3sinDv4_f(<4 x float>)

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: [[S:%\w+]] = call float @sinf(float %x)
; CHECK: [[C:%\w+]] = call float @cosf(float [[S]])
; CHECK: call float @_Z3expf(float [[C]])
; CHECK: call <4 x float> @_Z3sinDv4_f(<4 x float> %v)
define spir_kernel void @k(float %x, <4 x float> %v, ptr addrspace(1) %out, ptr addrspace(1) %vectors) {
  %s = call float @_Z3sinf(float %x)
  %c = call float @_Z3cosf(float %s)
  %e = call float @_Z3expf(float %c)
  %four = call <4 x float> @_Z3sinDv4_f(<4 x float> %v)
  store float %e, ptr addrspace(1) %out
  store <4 x float> %four, ptr addrspace(1) %vectors
  ret void
}
