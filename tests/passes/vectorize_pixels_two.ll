; RUN: vectorize bits=128 width=2 first
; Two lanes fill no register of four words: their pixels become columns by one shuffle for each.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.all2(
; CHECK: load <8 x float>
; CHECK: shufflevector <8 x float> {{.*}} <2 x i32> <i32 0, i32 4>
; CHECK: shufflevector <8 x float> {{.*}} <2 x i32> <i32 3, i32 7>
; CHECK: fdiv <2 x float>
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %o, i64 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %p = getelementptr <4 x float>, ptr addrspace(1) %a, i64 %lid.0
  %v = load <4 x float>, ptr addrspace(1) %p
  %x = extractelement <4 x float> %v, i64 0
  %y = extractelement <4 x float> %v, i64 1
  %z = extractelement <4 x float> %v, i64 2
  %w = extractelement <4 x float> %v, i64 3
  %q = fdiv float %x, %y
  %r = fdiv float %z, %w
  %odd = fcmp ogt float %q, %r
  br i1 %odd, label %put, label %end
put:
  %s = fsub float %q, %r
  %m0 = insertelement <4 x float> poison, float %q, i64 0
  %m1 = insertelement <4 x float> %m0, float %r, i64 1
  %m2 = insertelement <4 x float> %m1, float %s, i64 2
  %m3 = insertelement <4 x float> %m2, float %q, i64 3
  %t = getelementptr <4 x float>, ptr addrspace(1) %o, i64 %lid.0
  store <4 x float> %m3, ptr addrspace(1) %t
  br label %end
end:
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
attributes #2 = { "clpy-kernel"="l" "clpy-role"="region" "clpy-exits"="none" }
attributes #3 = { "clpy-kernel"="l" "clpy-role"="foreach" }
