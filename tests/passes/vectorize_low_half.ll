; RUN: vectorize width=4
; A 32-bit id scaled to an address, as shifts by 32 and back or as a mask, is consecutive: no gathers.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.all4(
; CHECK: load <16 x i32>
; CHECK: load <4 x i64>
; CHECK-NOT: gather
; CHECK: store <16 x i32>
; CHECK: ret void
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %id = add i64 %gbase.0, %lid.0
  %high = shl i64 %id, 32
  %at = ashr exact i64 %high, 28
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %at
  %v = load <4 x i32>, ptr addrspace(1) %p
  %eight = shl i64 %id, 3
  %low = and i64 %eight, 34359738360
  %p2 = getelementptr i8, ptr addrspace(1) %a, i64 %low
  %w = load i64, ptr addrspace(1) %p2
  %x = trunc i64 %w to i32
  %one = insertelement <4 x i32> %v, i32 %x, i64 0
  %q = getelementptr i8, ptr addrspace(1) %c, i64 %at
  store <4 x i32> %one, ptr addrspace(1) %q
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
