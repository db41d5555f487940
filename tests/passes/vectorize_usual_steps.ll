; RUN: vectorize width=4
; What sorting networks and transforms touch: `2 i - (i & (n - 1))` and `i / n * 2 n + i % n` count as long as all lanes
; are in one block of n. Loads and stores look whether they are; blocks of two are always smaller than a vector.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.all4(
; CHECK: load <4 x i32>
; CHECK: gather
; CHECK: store <4 x i32>
; CHECK: scatter
; CHECK: load <4 x float>
; CHECK: gather
; CHECK: store <4 x float>
; CHECK: scatter
; CHECK-NOT: load <4 x i32>
; CHECK: gather
; CHECK-NOT: store <4 x i32>
; CHECK: scatter
; CHECK: ret void
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i64 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %i = add i64 %gbase.0, %lid.0
  %mask = add i64 %n, -1
  %low = and i64 %i, %mask
  %twice = shl i64 %i, 1
  %p = sub i64 %twice, %low
  %at.p = getelementptr i32, ptr addrspace(1) %a, i64 %p
  %x = load i32, ptr addrspace(1) %at.p
  %x1 = add i32 %x, 1
  store i32 %x1, ptr addrspace(1) %at.p
  %block = udiv i64 %i, %n
  %rest = urem i64 %i, %n
  %n2 = shl i64 %n, 1
  %start = mul i64 %block, %n2
  %q = add i64 %start, %rest
  %at.q = getelementptr float, ptr addrspace(1) %c, i64 %q
  %y = load float, ptr addrspace(1) %at.q
  %y1 = fadd float %y, 1.0
  store float %y1, ptr addrspace(1) %at.q
  %odd = and i64 %i, 1
  %r = sub i64 %twice, %odd
  %at.r = getelementptr i32, ptr addrspace(1) %a, i64 %r
  %z = load i32, ptr addrspace(1) %at.r
  %z1 = add i32 %z, 1
  store i32 %z1, ptr addrspace(1) %at.r
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
