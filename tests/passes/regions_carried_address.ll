; RUN: work_items,regions
; Elements of an array in context memory lie lane by lane, but not where an address in the array lives across a barrier: a
; distance from an address that was loaded is plain bytes.
declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

; CHECK-LABEL: define internal void @k.region.0(
; CHECK: [[P:%p\S*]] = getelementptr { i32, i32 }, ptr
; CHECK: store i32 1, ptr [[P]]
; CHECK: store ptr [[P]], ptr
; CHECK-LABEL: define internal void @k.region.1(
; CHECK: [[Q:%p\S*]] = load ptr, ptr
; CHECK: [[Q1:%\w+]] = getelementptr i8, ptr [[Q]], i64 4
; CHECK: load i32, ptr [[Q1]]
; CHECK: mul i64 {{%\w+}}, %items
define spir_kernel void @k(ptr addrspace(1) %o, i64 %n) {
  %a = alloca [4 x i32]
  %b = alloca [4 x i32]
  %i = call i64 @_Z12get_local_idj(i32 0)
  %g = getelementptr i64, ptr addrspace(1) %o, i64 %i
  %x = load i64, ptr addrspace(1) %g
  %at = and i64 %x, 1
  %p = getelementptr { i32, i32 }, ptr %a, i64 %at
  store i32 1, ptr %p
  %q = getelementptr i32, ptr %b, i64 %n
  store i32 2, ptr %q
  call void @_Z7barrierj(i32 1)
  %p1 = getelementptr i8, ptr %p, i64 4
  %v = load i32, ptr %p1
  %r = getelementptr i32, ptr %b, i64 %n
  %w = load i32, ptr %r
  %s = add i32 %v, %w
  store i32 %s, ptr addrspace(1) %o
  ret void
}
