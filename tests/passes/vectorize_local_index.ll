; RUN: vectorize width=16
; Gathers take indices of 32 bits with a sign. One of uint is such where it leads into local memory, which is never so large;
; global memory may be.
declare void @k.region.0.foreach(ptr addrspace(3), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.all16(
; CHECK: %[[AT:.+]] = load <16 x i32>, ptr addrspace(1)
; CHECK: %[[INDEX:.+]] = sext <16 x i32> %[[AT]] to <16 x i64>
; CHECK: getelementptr float, ptr addrspace(3) %a, <16 x i64> %[[INDEX]]
; CHECK: getelementptr float, ptr addrspace(1) %c, <16 x i64> %[[WIDE:.+]]
define internal void @k.region.0(ptr addrspace(3) %a, ptr addrspace(1) %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
  %pc = getelementptr i32, ptr addrspace(1) %c, i64 %lid.0
  %at = load i32, ptr addrspace(1) %pc
  %place = zext i32 %at to i64
  %p = getelementptr float, ptr addrspace(3) %a, i64 %place
  %x = load float, ptr addrspace(3) %p
  %q = getelementptr float, ptr addrspace(1) %c, i64 %place
  %y = load float, ptr addrspace(1) %q
  %s = fadd float %x, %y
  %o = getelementptr float, ptr addrspace(1) %c, i64 %lid.0
  store float %s, ptr addrspace(1) %o
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
