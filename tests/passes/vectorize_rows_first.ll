; RUN: vectorize bits=256 width=0 first
; Lanes lie along dimension 1 where that makes neighbours of accesses that are none along dimension 0; a place that is
; read from memory is none either way.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1
declare void @l.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #3

; CHECK-LABEL: define internal void @k.region.0.all8(
; CHECK-NOT: gather
; CHECK: load <8 x float>
; CHECK: store <8 x float>
; CHECK: ret void
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %o, i64 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
  %row = mul i64 %lid.0, %n
  %at = add i64 %row, %lid.1
  %p = getelementptr float, ptr addrspace(1) %a, i64 %at
  %v = load float, ptr addrspace(1) %p
  %w = fadd float %v, 1.0
  %q = getelementptr float, ptr addrspace(1) %o, i64 %at
  store float %w, ptr addrspace(1) %q
  ret void
}

; CHECK-LABEL: define internal void @l.region.0.all8(
; CHECK: load <8 x i32>
; CHECK: @llvm.masked.gather.v8f32
; CHECK: store <8 x float>
; CHECK: ret void
define internal void @l.region.0(ptr addrspace(1) %a, ptr addrspace(1) %o, i64 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #2 {
  %row = mul i64 %lid.1, %n
  %at = add i64 %row, %lid.0
  %i = getelementptr i32, ptr addrspace(1) %a, i64 %at
  %number = load i32, ptr addrspace(1) %i
  %place = sext i32 %number to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %place
  %v = load float, ptr addrspace(1) %p
  %q = getelementptr float, ptr addrspace(1) %o, i64 %at
  store float %v, ptr addrspace(1) %q
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
attributes #2 = { "clpy-kernel"="l" "clpy-role"="region" "clpy-exits"="none" }
attributes #3 = { "clpy-kernel"="l" "clpy-role"="foreach" }
