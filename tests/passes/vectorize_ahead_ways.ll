; RUN: vectorize width=16
; Of two ways that are as long together as what asks for later vectors' memory a vector goes one: neither is long.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.all16(
; CHECK: load <16 x float>
; CHECK-NOT: prefetch
; CHECK: ret void
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i64 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %at = getelementptr float, ptr addrspace(1) %a, i64 %lid.0
  %to = getelementptr float, ptr addrspace(1) %c, i64 %lid.0
  %odd = icmp eq i64 %n, 1
  br i1 %odd, label %one, label %other

one:
  %f0 = load float, ptr addrspace(1) %at
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
  store float %f30, ptr addrspace(1) %to
  br label %done

other:
  %g0 = load float, ptr addrspace(1) %at
  %g1 = fadd float %g0, 2.000000e+00
  %g2 = fadd float %g1, 2.000000e+00
  %g3 = fadd float %g2, 2.000000e+00
  %g4 = fadd float %g3, 2.000000e+00
  %g5 = fadd float %g4, 2.000000e+00
  %g6 = fadd float %g5, 2.000000e+00
  %g7 = fadd float %g6, 2.000000e+00
  %g8 = fadd float %g7, 2.000000e+00
  %g9 = fadd float %g8, 2.000000e+00
  %g10 = fadd float %g9, 2.000000e+00
  %g11 = fadd float %g10, 2.000000e+00
  %g12 = fadd float %g11, 2.000000e+00
  %g13 = fadd float %g12, 2.000000e+00
  %g14 = fadd float %g13, 2.000000e+00
  %g15 = fadd float %g14, 2.000000e+00
  %g16 = fadd float %g15, 2.000000e+00
  %g17 = fadd float %g16, 2.000000e+00
  %g18 = fadd float %g17, 2.000000e+00
  %g19 = fadd float %g18, 2.000000e+00
  %g20 = fadd float %g19, 2.000000e+00
  %g21 = fadd float %g20, 2.000000e+00
  %g22 = fadd float %g21, 2.000000e+00
  %g23 = fadd float %g22, 2.000000e+00
  %g24 = fadd float %g23, 2.000000e+00
  %g25 = fadd float %g24, 2.000000e+00
  %g26 = fadd float %g25, 2.000000e+00
  %g27 = fadd float %g26, 2.000000e+00
  %g28 = fadd float %g27, 2.000000e+00
  %g29 = fadd float %g28, 2.000000e+00
  %g30 = fadd float %g29, 2.000000e+00
  store float %g30, ptr addrspace(1) %to
  br label %done

done:
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
