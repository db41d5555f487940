; RUN: element_alignment
; A vector of a register's size in memory that is not the work-item's own is aligned as its elements are, and a copy of
; such by eight bytes; private memory, shorter vectors and scalars stay as they are.
declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: %a = load <4 x float>, ptr addrspace(1) %x, align 4
; CHECK: %b = load <2 x float>, ptr addrspace(1) %x, align 8
; CHECK: %c = load volatile <4 x double>, ptr addrspace(3) %l, align 8
; CHECK: %d = load <16 x i8>, ptr addrspace(4) %g, align 1
; CHECK: %e = load i64, ptr addrspace(1) %x, align 16
; CHECK: store <4 x float> %a, ptr %p, align 16
; CHECK: store <4 x float> %a, ptr addrspace(1) %x, align 4
; CHECK: store <4 x float> %a, ptr addrspace(1) %x, align 2
; CHECK: @llvm.memcpy.p0.p1.i64(ptr align 16 %p, ptr addrspace(1) align 8 %x, i64 32, i1 false)
define spir_kernel void @k(ptr addrspace(1) %x, ptr addrspace(3) %l, ptr addrspace(4) %g) {
  %p = alloca [8 x float], align 16
  %a = load <4 x float>, ptr addrspace(1) %x, align 16
  %b = load <2 x float>, ptr addrspace(1) %x, align 8
  %c = load volatile <4 x double>, ptr addrspace(3) %l, align 32
  %d = load <16 x i8>, ptr addrspace(4) %g, align 16
  %e = load i64, ptr addrspace(1) %x, align 16
  store <4 x float> %a, ptr %p, align 16
  store <4 x float> %a, ptr addrspace(1) %x, align 16
  store <4 x float> %a, ptr addrspace(1) %x, align 2
  call void @llvm.memcpy.p0.p1.i64(ptr align 16 %p, ptr addrspace(1) align 16 %x, i64 32, i1 false)
  ret void
}
