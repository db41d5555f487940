; RUN: division,inline,normal_form,work_items,local_memory,regions,work_item_loop,retarget,vector_math,kernel_abi,optimize
; From kernels to vector code through LLVM's loop vectorizer: plain accesses and a call of libmvec.
target triple = "spir64-unknown-unknown"
declare i64 @_Z13get_global_idj(i32) memory(none)
declare i64 @_Z12get_local_idj(i32) memory(none)
declare i64 @_Z14get_local_sizej(i32) memory(none)
declare i64 @_Z12get_group_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

declare float @expf(float)

; CHECK-LABEL: define void @__clpy_kernel.add(
; CHECK: load <4 x float>, ptr addrspace(1)
; CHECK: fadd <4 x float>
; CHECK: store <4 x float>
; CHECK-LABEL: define void @__clpy_kernel.exponential(
; CHECK: call <4 x float> @_ZGVbN4v_expf(<4 x float>
define spir_kernel void @add(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c) {
  %i = call i64 @_Z13get_global_idj(i32 0)
  %pa = getelementptr inbounds float, ptr addrspace(1) %a, i64 %i
  %pb = getelementptr inbounds float, ptr addrspace(1) %b, i64 %i
  %pc = getelementptr inbounds float, ptr addrspace(1) %c, i64 %i
  %x = load float, ptr addrspace(1) %pa
  %y = load float, ptr addrspace(1) %pb
  %s = fadd float %x, %y
  store float %s, ptr addrspace(1) %pc
  ret void
}

define spir_kernel void @exponential(ptr addrspace(1) %a) {
  %i = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr inbounds float, ptr addrspace(1) %a, i64 %i
  %x = load float, ptr addrspace(1) %p
  %e = call float @expf(float %x)
  store float %e, ptr addrspace(1) %p
  ret void
}
