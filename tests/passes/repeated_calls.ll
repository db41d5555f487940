; RUN: repeated_calls bits=256 first
; What a loop calls is inlined after all, where copies of it are not too much; what no loop calls any more is not, nor
; what was not open.
; CHECK: define internal float @_Z3sinf(float %x) #0 {
; CHECK-NOT: @_Z3cosf
; CHECK: define internal float @_Z3expf(float %x) #1 {
; CHECK: define internal float @_Z3logf(float %x) #2 {
; CHECK-LABEL: define spir_kernel void @k(
; CHECK: call float @_Z3sinf(
; CHECK-NOT: call
; CHECK: fmul
; CHECK: call float @_Z3expf(
; CHECK-NOT: fmul
; CHECK: call float @_Z3logf(
; CHECK: ret void
; CHECK: attributes #0 = { noinline "clpy-forms"="_Z3sinDv{}_f" "clpy-shared" }
; CHECK: attributes #1 = { noinline "clpy-forms"="_Z3expDv{}_f" "clpy-shared" }
; CHECK: attributes #2 = { noinline "clpy-forms"="_Z3logDv{}_f" "clpy-shared" }
define internal float @_Z3sinf(float %x) #0 {
  ret float %x
}
define internal float @_Z3cosf(float %x) #1 {
  %v = fmul float %x, %x
  ret float %v
}
define internal float @_Z3expf(float %x) #2 {
  %v1 = fmul float %x, %x
  %v2 = fmul float %v1, %x
  %v3 = fmul float %v2, %x
  %v4 = fmul float %v3, %x
  %v5 = fmul float %v4, %x
  %v6 = fmul float %v5, %x
  %v7 = fmul float %v6, %x
  %v8 = fmul float %v7, %x
  %v9 = fmul float %v8, %x
  %v10 = fmul float %v9, %x
  %v11 = fmul float %v10, %x
  %v12 = fmul float %v11, %x
  %v13 = fmul float %v12, %x
  %v14 = fmul float %v13, %x
  %v15 = fmul float %v14, %x
  %v16 = fmul float %v15, %x
  %v17 = fmul float %v16, %x
  %v18 = fmul float %v17, %x
  %v19 = fmul float %v18, %x
  %v20 = fmul float %v19, %x
  %v21 = fmul float %v20, %x
  %v22 = fmul float %v21, %x
  %v23 = fmul float %v22, %x
  %v24 = fmul float %v23, %x
  %v25 = fmul float %v24, %x
  %v26 = fmul float %v25, %x
  %v27 = fmul float %v26, %x
  %v28 = fmul float %v27, %x
  %v29 = fmul float %v28, %x
  %v30 = fmul float %v29, %x
  %v31 = fmul float %v30, %x
  %v32 = fmul float %v31, %x
  ret float %v32
}
define internal float @_Z3logf(float %x) #3 {
  ret float %x
}

define spir_kernel void @k(float %x, i32 %n, ptr addrspace(1) %out) {
entry:
  %s = call float @_Z3sinf(float %x)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = phi float [ %s, %entry ], [ %l, %loop ]
  %c = call float @_Z3cosf(float %v)
  %e1 = call float @_Z3expf(float %c)
  %e2 = call float @_Z3expf(float %e1)
  %e3 = call float @_Z3expf(float %e2)
  %e4 = call float @_Z3expf(float %e3)
  %e5 = call float @_Z3expf(float %e4)
  %e6 = call float @_Z3expf(float %e5)
  %e7 = call float @_Z3expf(float %e6)
  %e8 = call float @_Z3expf(float %e7)
  %e9 = call float @_Z3expf(float %e8)
  %e10 = call float @_Z3expf(float %e9)
  %e11 = call float @_Z3expf(float %e10)
  %e12 = call float @_Z3expf(float %e11)
  %e13 = call float @_Z3expf(float %e12)
  %e14 = call float @_Z3expf(float %e13)
  %e15 = call float @_Z3expf(float %e14)
  %e16 = call float @_Z3expf(float %e15)
  %e17 = call float @_Z3expf(float %e16)
  %l = call float @_Z3logf(float %e17)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  store float %l, ptr addrspace(1) %out
  ret void
}
attributes #0 = { noinline "clpy-forms"="_Z3sinDv{}_f" "clpy-repeated" "clpy-shared" }
attributes #1 = { noinline "clpy-forms"="_Z3cosDv{}_f" "clpy-repeated" "clpy-shared" }
attributes #2 = { noinline "clpy-forms"="_Z3expDv{}_f" "clpy-repeated" "clpy-shared" }
attributes #3 = { noinline "clpy-forms"="_Z3logDv{}_f" "clpy-shared" }
