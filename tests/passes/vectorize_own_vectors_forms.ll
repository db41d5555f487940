; RUN: vectorize width=16
; A vector that each work-item has, of whose difference to others a loop takes elements, is taken apart once, before the
; loop; elements of what all lanes read are read by themselves. Vectors that are loaded, scaled, summed up and stored
; stay as they lie in memory, through the loop as well.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1
declare void @m.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #3
declare <4 x float> @llvm.fma.v4f32(<4 x float>, <4 x float>, <4 x float>)

; CHECK-LABEL: define internal void @k.region.0.all16(
; CHECK: load <64 x float>
; CHECK: shufflevector <64 x float>
; CHECK: loop{{.*}}:
; CHECK: load float,
; CHECK: load float,
; CHECK-NOT: <64 x float>
; CHECK: store <16 x float>
; CHECK-LABEL: define internal void @m.region.0.all16(
; CHECK: loop{{.*}}:
; CHECK: phi <64 x float>
; CHECK: load <64 x float>
; CHECK-NOT: <16 x float>
; CHECK: call <64 x float> @llvm.fma.v64f32(
; CHECK-NOT: <16 x float>
; CHECK: store <64 x float>
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %o, i64 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %p = getelementptr <4 x float>, ptr addrspace(1) %a, i64 %lid.0
  %mine = load <4 x float>, ptr addrspace(1) %p
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum1, %loop ]
  %q = getelementptr <4 x float>, ptr addrspace(1) %a, i64 %k
  %other = load <4 x float>, ptr addrspace(1) %q
  %d = fsub <4 x float> %other, %mine
  %x = extractelement <4 x float> %d, i64 0
  %y = extractelement <4 x float> %d, i64 1
  %xy = fmul float %x, %y
  %sum1 = fadd float %sum, %xy
  %k1 = add i64 %k, 1
  %more = icmp ult i64 %k1, %n
  br i1 %more, label %loop, label %end
end:
  %r = getelementptr float, ptr addrspace(1) %o, i64 %lid.0
  store float %sum1, ptr addrspace(1) %r
  ret void
}

define internal void @m.region.0(ptr addrspace(1) %a, ptr addrspace(1) %o, i64 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #2 {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %loop ]
  %sum = phi <4 x float> [ zeroinitializer, %entry ], [ %sum1, %loop ]
  %row = mul i64 %k, %n
  %i = add i64 %row, %lid.0
  %q = getelementptr <4 x float>, ptr addrspace(1) %a, i64 %i
  %other = load <4 x float>, ptr addrspace(1) %q
  %s = load float, ptr addrspace(1) %o
  %s0 = insertelement <4 x float> poison, float %s, i64 0
  %ss = shufflevector <4 x float> %s0, <4 x float> poison, <4 x i32> zeroinitializer
  %sum1 = call <4 x float> @llvm.fma.v4f32(<4 x float> %other, <4 x float> %ss, <4 x float> %sum)
  %k1 = add i64 %k, 1
  %more = icmp ult i64 %k1, %n
  br i1 %more, label %loop, label %end
end:
  %r = getelementptr <4 x float>, ptr addrspace(1) %o, i64 %lid.0
  store <4 x float> %sum1, ptr addrspace(1) %r
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
attributes #2 = { "clpy-kernel"="m" "clpy-role"="region" "clpy-exits"="none" }
attributes #3 = { "clpy-kernel"="m" "clpy-role"="foreach" }
