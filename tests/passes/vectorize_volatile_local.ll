; RUN: vectorize width=4
; Volatile accesses to the local memory of the group are vectors: nobody else sees it.
declare void @k.region.0.foreach(ptr addrspace(3), ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.all4(
; CHECK: load <4 x i32>, ptr addrspace(3)
; CHECK: store <4 x i32> {{.*}}, ptr addrspace(3)
; CHECK-LABEL: define internal void @k.region.0.some4(
define internal void @k.region.0(ptr addrspace(3) %l, ptr addrspace(1) %c, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %pl = getelementptr i32, ptr addrspace(3) %l, i64 %lid.0
  %x = load volatile i32, ptr addrspace(3) %pl
  %y = mul i32 %x, 3
  store volatile i32 %y, ptr addrspace(3) %pl
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
