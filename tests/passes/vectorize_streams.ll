; RUN: vectorize width=8
; Short code that writes one argument goes past the caches, where the launch says so, with halves of a cache line too: the
; other half comes next. Two halves of two lines would wait for each other. What LLVM has a function for and a processor
; an instruction makes no code long.
declare void @one.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1
declare void @fused.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #5
declare float @llvm.fmuladd.f32(float, float, float)
declare void @two.region.0.foreach(ptr addrspace(1), ptr addrspace(1), ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #3

; CHECK-LABEL: define internal void @one.region.0.all8(
; CHECK: and i64 {{%\w+}}, 31
; CHECK: store <8 x float> {{.*}}, align 32, !nontemporal
; CHECK: store <8 x float> {{.*}}, align 4
define internal void @one.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %pa = getelementptr float, ptr addrspace(1) %a, i64 %lid.0
  %x = load float, ptr addrspace(1) %pa
  %pc = getelementptr float, ptr addrspace(1) %c, i64 %lid.0
  store float %x, ptr addrspace(1) %pc
  ret void
}

; CHECK-LABEL: define internal void @two.region.0.all8(
; CHECK-NOT: !nontemporal
; CHECK: ret void
define internal void @two.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, ptr addrspace(1) %d, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #2 {
entry:
  %pa = getelementptr float, ptr addrspace(1) %a, i64 %lid.0
  %x = load float, ptr addrspace(1) %pa
  %pc = getelementptr float, ptr addrspace(1) %c, i64 %lid.0
  store float %x, ptr addrspace(1) %pc
  %pd = getelementptr float, ptr addrspace(1) %d, i64 %lid.0
  store float %x, ptr addrspace(1) %pd
  ret void
}

; CHECK-LABEL: define internal void @fused.region.0.all8(
; CHECK: call <8 x float> @llvm.fmuladd
; CHECK: store <8 x float> {{.*}}, align 32, !nontemporal
; CHECK: ret void
define internal void @fused.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #4 {
entry:
  %pa = getelementptr float, ptr addrspace(1) %a, i64 %lid.0
  %x = load float, ptr addrspace(1) %pa
  %y = call float @llvm.fmuladd.f32(float %x, float 2.0, float 1.0)
  %pc = getelementptr float, ptr addrspace(1) %c, i64 %lid.0
  store float %y, ptr addrspace(1) %pc
  ret void
}

attributes #0 = { "clpy-kernel"="one" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="one" "clpy-role"="foreach" }
attributes #2 = { "clpy-kernel"="two" "clpy-role"="region" "clpy-exits"="none" }
attributes #3 = { "clpy-kernel"="two" "clpy-role"="foreach" }
attributes #4 = { "clpy-kernel"="fused" "clpy-role"="region" "clpy-exits"="none" }
attributes #5 = { "clpy-kernel"="fused" "clpy-role"="foreach" }
