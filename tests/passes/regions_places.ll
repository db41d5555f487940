; RUN: work_items,regions
; A place in two dimensions, y * w + x, is computed again behind a barrier though it takes more than a few operations: as
; a number from context memory nobody knows that neighbours lie side by side there. Other long sums wait there.
target datalayout = "e-i64:64"
declare i64 @_Z13get_global_idj(i32) memory(none)
declare i64 @_Z12get_local_idj(i32) memory(none)
declare i64 @_Z14get_local_sizej(i32) memory(none)
declare i64 @_Z12get_group_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

; CHECK-LABEL: define internal void @k.region.1(
; CHECK-NOT: load
; CHECK: sext i32
; CHECK-NOT: load
; CHECK: %x = load i32, ptr %{{\d+}}
; CHECK-NOT: load
; CHECK: store i32 %x
; CHECK: "clpy-context-bytes"="4"
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %o, i32 %w) {
  %i = call i64 @_Z13get_global_idj(i32 0)
  %j = call i64 @_Z13get_global_idj(i32 1)
  %column = trunc i64 %i to i32
  %line = trunc i64 %j to i32
  %before = mul nsw i32 %line, %w
  %place = add nsw i32 %before, %column
  %wide = sext i32 %place to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %wide
  %v = load i32, ptr addrspace(1) %p
  %v1 = add i32 %v, %w
  %v2 = xor i32 %v1, %v
  %v3 = mul i32 %v2, %v1
  %v4 = sub i32 %v3, %v2
  %v5 = xor i32 %v4, %v3
  %v6 = mul i32 %v5, %v4
  %x = sub i32 %v6, %v5
  call void @_Z7barrierj(i32 1)
  %q = getelementptr inbounds i32, ptr addrspace(1) %o, i64 %wide
  store i32 %x, ptr addrspace(1) %q
  ret void
}
