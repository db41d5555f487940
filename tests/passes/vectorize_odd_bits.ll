; RUN: vectorize width=4
; An integer of an odd width is accessed lane by lane: LLVM packs vectors of such in memory.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.all4(
; CHECK-NOT: load <4 x i24>
; CHECK: call <4 x i24> @llvm.masked.gather.v4i24.v4p1(
; CHECK-NOT: store <4 x i24>
; CHECK: call void @llvm.masked.scatter.v4i24.v4p1(
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %lid.0
  %x = load i24, ptr addrspace(1) %pa
  %pc = getelementptr i32, ptr addrspace(1) %c, i64 %lid.0
  store i24 %x, ptr addrspace(1) %pc
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
