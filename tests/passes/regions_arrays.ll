; RUN: work_items,regions
; A private array that lives across a barrier is in context memory; one that does not stays on the stack, unless
; it is too large for it.
declare i64 @_Z13get_global_idj(i32) memory(none)
declare i64 @_Z12get_local_idj(i32) memory(none)
declare i64 @_Z14get_local_sizej(i32) memory(none)
declare i64 @_Z12get_group_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

declare void @llvm.lifetime.start.p0(ptr)

; CHECK-LABEL: define internal void @k.region.0(
; CHECK: %short = alloca [4 x i32]
; CHECK-NOT: alloca
; CHECK: store i32 1, ptr %short
; CHECK: ret
; CHECK-LABEL: define internal void @k.region.1(
; CHECK-NOT: alloca
; CHECK: getelementptr {{.*}} ptr %context
; CHECK: load i32, ptr
; CHECK-LABEL: define internal void @large.region.0(
; CHECK-NOT: alloca
; CHECK-NOT: lifetime
; CHECK: store i32 1, ptr %{{\d+}}
; CHECK-LABEL: define internal void @several.region.0(
; CHECK-NOT: alloca [
; CHECK: getelementptr {{.*}} ptr %context, i64 %
; CHECK: mul nuw nsw i64 %items, 40000
; CHECK: getelementptr {{.*}} ptr %context, i64 %
; CHECK: store i32 1, ptr %
; CHECK: store i32 2, ptr %
; CHECK-NOT: alloca [
; CHECK: ret
; CHECK: "clpy-context-bytes"="32"{{.*}}"clpy-private-bytes"="48"
; CHECK: "clpy-context-bytes"="40000"{{.*}}"clpy-private-bytes"="40000"
; CHECK: "clpy-context-bytes"="80000"{{.*}}"clpy-private-bytes"="80000"
define spir_kernel void @k(ptr addrspace(1) %o) {
  %long = alloca [8 x i32]
  %short = alloca [4 x i32]
  store i32 1, ptr %short
  %s = load i32, ptr %short
  store i32 %s, ptr %long
  call void @_Z7barrierj(i32 1)
  %v = load i32, ptr %long
  store i32 %v, ptr addrspace(1) %o
  ret void
}

define spir_kernel void @large(ptr addrspace(1) %o) {
  %a = alloca [10000 x i32]
  call void @llvm.lifetime.start.p0(ptr %a)
  store i32 1, ptr %a
  ret void
}

define spir_kernel void @several(ptr addrspace(1) %o) {
  %a = alloca [10000 x i32]
  %b = alloca [10000 x i32]
  %i = load i64, ptr addrspace(1) %o
  %p = getelementptr i32, ptr %a, i64 %i
  store i32 1, ptr %p
  %q = getelementptr i32, ptr %b, i64 %i
  store i32 2, ptr %q
  ret void
}
