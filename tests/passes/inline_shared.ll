; RUN: inline bits=256 first
; In code that is made again a long function of the library is called once, where its machine code is that of all
; programs, also with relaxed mathematics: not a short one, nor one of the program's own. That a loop calls one is noted,
; as it may be unrolled.
; CHECK: define internal float @_Z3sinf(float %x) #0 {
; CHECK: define internal float @_Z3cosf(float %x) #1 {
; CHECK: define internal float @_Z3expf(float %x) #2 {
; CHECK-NOT: @_Z5log10f
; CHECK-NOT: @_Z3logf
; CHECK-LABEL: define spir_kernel void @k(
; CHECK: call float @_Z3sinf(
; CHECK: call float @_Z3expf(
; CHECK-NOT: call
; CHECK: call float @_Z3cosf(
; CHECK-NOT: call
; CHECK: ret void
; CHECK: attributes #0 = { noinline "clpy-forms"="_Z3sinDv{}_f" "clpy-shared" }
; CHECK: attributes #1 = { noinline "clpy-forms"="_Z3cosDv{}_f" "clpy-repeated" "clpy-shared" }
; CHECK: attributes #2 = { noinline "clpy-forms"="_Z3expDv{}_f" "clpy-shared" }
define float @_Z3sinf(float %x) {
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
  ret float %v16
}

define float @_Z3cosf(float %x) {
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
  ret float %v16
}

define float @_Z3expf(float %x) {
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
  ret float %v16
}

define float @_Z5log10f(float %x) {
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
  ret float %v14
}

define internal float @_Z3logf(float %x) {
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
  ret float %v16
}

define spir_kernel void @k(float %x, i32 %n, ptr addrspace(1) %out) {
entry:
  %s = call float @_Z3sinf(float %x)
  %e = call fast float @_Z3expf(float %s)
  %l = call float @_Z5log10f(float %e)
  %own = call float @_Z3logf(float %l)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = phi float [ %own, %entry ], [ %c, %loop ]
  %c = call float @_Z3cosf(float %v)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  store float %c, ptr addrspace(1) %out
  ret void
}
