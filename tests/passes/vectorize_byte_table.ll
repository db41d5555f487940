; RUN: vectorize width=16
; Bytes and shorts of a table that all lanes share, by indices of 32 bits: words, by indices of 32 bits as well, with and
; without a mask.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.all16(
; CHECK: [[LOW:%\w+]] = and i64 {{.+}}, 3
; CHECK: [[MINUS:%\w+]] = sub i64 0, [[LOW]]
; CHECK: [[START:%\w+]] = getelementptr i8, ptr addrspace(1) %a, i64 [[MINUS]]
; CHECK: [[WHOLE:%\w+]] = lshr <16 x i32> [[INDEX:%\w+]], splat (i32 2)
; CHECK: and <16 x i32> [[INDEX]], splat (i32 3)
; CHECK: [[WORD:%\w+]] = add <16 x i32> [[WHOLE]], {{.+}}
; CHECK: [[WIDE:%\w+]] = sext <16 x i32> [[WORD]] to <16 x i64>
; CHECK: [[AT:%\w+]] = getelementptr i32, ptr addrspace(1) [[START]], <16 x i64> [[WIDE]]
; CHECK: call <16 x i32> @llvm.masked.gather.v16i32.v16p1(<16 x ptr addrspace(1)> align 4 [[AT]], <16 x i1> splat (i1 true)
; CHECK: trunc <16 x i32> {{.+}} to <16 x i8>
; CHECK: ashr <16 x i32> {{.+}}, splat (i32 1)
; CHECK: trunc <16 x i32> {{.+}} to <16 x i16>
; CHECK-LABEL: define internal void @k.region.0.some16(
; CHECK-NOT: ptrmask
; CHECK: call <16 x i32> @llvm.masked.gather.v16i32.v16p1({{.+}}, <16 x i1> %active
; CHECK-NOT: gather.v16i8
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %at = getelementptr i32, ptr addrspace(1) %c, i64 %lid.0
  %i = load i32, ptr addrspace(1) %at
  %u = lshr i32 %i, 1
  %wide = zext i32 %u to i64
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %wide
  %x = load i8, ptr addrspace(1) %p
  %half = ashr i32 %i, 1
  %signed = sext i32 %half to i64
  %q = getelementptr i16, ptr addrspace(1) %a, i64 %signed
  %y = load i16, ptr addrspace(1) %q
  %xw = zext i8 %x to i32
  %yw = zext i16 %y to i32
  %sum = add i32 %xw, %yw
  store i32 %sum, ptr addrspace(1) %at
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
