; RUN: work_items,regions
; An argument is distinct (restrict) where its memory is reached through it alone. Behind a barrier that is not so if an
; address made of it comes from context memory, from the driver or from an array of pointers: what came in that way is
; not seen to be of the argument, and reads would be taken past writes.
target datalayout = "e-i64:64"
declare i64 @_Z13get_global_idj(i32) memory(none)
declare i64 @_Z12get_group_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

; The one that waits is stored; the other's address is computed again. Of `c` only numbers are read before.
; CHECK-LABEL: define internal void @waits.region.1(ptr addrspace(1) %a, ptr addrspace(1) noalias %b, ptr addrspace(1) noalias %c,
; CHECK: load ptr addrspace(1)
define spir_kernel void @waits(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b, ptr addrspace(1) noalias %c) {
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %i
  %n = load i64, ptr addrspace(1) %c
  %r = load i64, ptr addrspace(1) %p
  %far = getelementptr i32, ptr addrspace(1) %p, i64 %r
  call void @_Z7barrierj(i32 1)
  store i32 1, ptr addrspace(1) %far
  %x = load i32, ptr addrspace(1) %p
  store i32 %x, ptr addrspace(1) %q
  store i64 %n, ptr addrspace(1) %c
  ret void
}

; An address that all work-items have in common is a parameter.
; CHECK-LABEL: define internal void @common.region.1(ptr addrspace(1) %a, ptr addrspace(1) noalias %b, ptr addrspace(1) %in.
define spir_kernel void @common(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b) {
  %i = call i64 @_Z13get_global_idj(i32 0)
  %g = call i64 @_Z12get_group_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %g
  %x = load i32, ptr addrspace(1) %p
  call void @_Z7barrierj(i32 1)
  store i32 %x, ptr addrspace(1) %p
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %y = load i32, ptr addrspace(1) %q
  %r = getelementptr i32, ptr addrspace(1) %b, i64 %i
  store i32 %y, ptr addrspace(1) %r
  ret void
}

; CHECK-LABEL: define internal void @listed.region.1(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) noalias %c,
define spir_kernel void @listed(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b, ptr addrspace(1) noalias %c) {
  %list = alloca [2 x ptr addrspace(1)]
  %i = call i64 @_Z13get_global_idj(i32 0)
  store ptr addrspace(1) %a, ptr %list
  %second = getelementptr ptr addrspace(1), ptr %list, i64 1
  store ptr addrspace(1) %b, ptr %second
  call void @_Z7barrierj(i32 1)
  %bit = and i64 %i, 1
  %at = getelementptr ptr addrspace(1), ptr %list, i64 %bit
  %p = load ptr addrspace(1), ptr %at
  store i32 1, ptr addrspace(1) %p
  %x = load i32, ptr addrspace(1) %a
  store i32 %x, ptr addrspace(1) %c
  ret void
}
