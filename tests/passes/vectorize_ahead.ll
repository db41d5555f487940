; RUN: vectorize width=16
; What computes for long asks for the memory of later vectors, a cache line each, and writes through the caches: stores past
; them would wait for each other. With lanes that take no part neither is done.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.all16(
; CHECK: [[AT:%\w+]] = getelementptr float, ptr addrspace(1) %a, i64 %lid.0
; CHECK: load <16 x float>, ptr addrspace(1) [[AT]]
; CHECK: [[AHEAD:%\w+]] = getelementptr i8, ptr addrspace(1) [[AT]], i64 1024
; CHECK: call void @llvm.prefetch.p1(ptr addrspace(1) [[AHEAD]], i32 0, i32 3, i32 1)
; CHECK-NOT: nontemporal
; CHECK-LABEL: define internal void @k.region.0.some16(
; CHECK-NOT: prefetch
; CHECK: ret void
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %at = getelementptr float, ptr addrspace(1) %a, i64 %lid.0
  %x = load float, ptr addrspace(1) %at
  %f0 = fmul float %x, 2.000000e+00
  %f1 = fmul float %f0, 2.000000e+00
  %f2 = fmul float %f1, 2.000000e+00
  %f3 = fmul float %f2, 2.000000e+00
  %f4 = fmul float %f3, 2.000000e+00
  %f5 = fmul float %f4, 2.000000e+00
  %f6 = fmul float %f5, 2.000000e+00
  %f7 = fmul float %f6, 2.000000e+00
  %f8 = fmul float %f7, 2.000000e+00
  %f9 = fmul float %f8, 2.000000e+00
  %f10 = fmul float %f9, 2.000000e+00
  %f11 = fmul float %f10, 2.000000e+00
  %f12 = fmul float %f11, 2.000000e+00
  %f13 = fmul float %f12, 2.000000e+00
  %f14 = fmul float %f13, 2.000000e+00
  %f15 = fmul float %f14, 2.000000e+00
  %f16 = fmul float %f15, 2.000000e+00
  %f17 = fmul float %f16, 2.000000e+00
  %f18 = fmul float %f17, 2.000000e+00
  %f19 = fmul float %f18, 2.000000e+00
  %f20 = fmul float %f19, 2.000000e+00
  %f21 = fmul float %f20, 2.000000e+00
  %f22 = fmul float %f21, 2.000000e+00
  %f23 = fmul float %f22, 2.000000e+00
  %f24 = fmul float %f23, 2.000000e+00
  %f25 = fmul float %f24, 2.000000e+00
  %f26 = fmul float %f25, 2.000000e+00
  %f27 = fmul float %f26, 2.000000e+00
  %f28 = fmul float %f27, 2.000000e+00
  %f29 = fmul float %f28, 2.000000e+00
  %f30 = fmul float %f29, 2.000000e+00
  %f31 = fmul float %f30, 2.000000e+00
  %f32 = fmul float %f31, 2.000000e+00
  %f33 = fmul float %f32, 2.000000e+00
  %f34 = fmul float %f33, 2.000000e+00
  %f35 = fmul float %f34, 2.000000e+00
  %f36 = fmul float %f35, 2.000000e+00
  %f37 = fmul float %f36, 2.000000e+00
  %f38 = fmul float %f37, 2.000000e+00
  %f39 = fmul float %f38, 2.000000e+00
  %f40 = fmul float %f39, 2.000000e+00
  %f41 = fmul float %f40, 2.000000e+00
  %f42 = fmul float %f41, 2.000000e+00
  %f43 = fmul float %f42, 2.000000e+00
  %f44 = fmul float %f43, 2.000000e+00
  %f45 = fmul float %f44, 2.000000e+00
  %f46 = fmul float %f45, 2.000000e+00
  %f47 = fmul float %f46, 2.000000e+00
  %to = getelementptr float, ptr addrspace(1) %c, i64 %lid.0
  store float %f47, ptr addrspace(1) %to
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
