; RUN: vectorize width=16
; Bytes from places of the lanes' own, under a mask: the aligned words around them, for LLVM has a branch a lane else.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.some16(
; CHECK: [[AROUND:%\w+]] = call <16 x ptr addrspace(1)> @llvm.ptrmask.v16p1.v16i64(<16 x ptr addrspace(1)> [[AT:%\w+]], <16 x i64> splat (i64 -4))
; CHECK: [[WORDS:%\w+]] = call <16 x i32> @llvm.masked.gather.v16i32.v16p1(<16 x ptr addrspace(1)> align 4 [[AROUND]]
; CHECK: [[BITS:%\w+]] = lshr <16 x i32> [[WORDS]]
; CHECK: trunc <16 x i32> [[BITS]] to <16 x i8>
; CHECK-NOT: gather.v16i8
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %square = mul i64 %lid.0, %lid.0
  %pa = getelementptr i8, ptr addrspace(1) %a, i64 %square
  %x = load i8, ptr addrspace(1) %pa
  %wide = zext i8 %x to i32
  %pc = getelementptr i32, ptr addrspace(1) %c, i64 %lid.0
  store i32 %wide, ptr addrspace(1) %pc
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
