; RUN: blocks
; A kernel that enqueues itself refers to its number, the second of the program's kernels; its function's address, which
; the front end puts into what is captured, is forgotten. A call stays.
declare spir_func i32 @__clpy_enqueue_kernel(ptr addrspace(4), ptr addrspace(4))

; CHECK-LABEL: define spir_kernel void @k
; CHECK: store ptr addrspace(4) null, ptr %block
; CHECK: call spir_func i32 @__clpy_enqueue_kernel(ptr addrspace(4) addrspacecast (ptr inttoptr (i64 2 to ptr) to ptr addrspace(4)),
define spir_kernel void @k() {
  %block = alloca ptr addrspace(4)
  store ptr addrspace(4) addrspacecast (ptr @k_block_invoke to ptr addrspace(4)), ptr %block
  %captured = addrspacecast ptr %block to ptr addrspace(4)
  %r = call spir_func i32 @__clpy_enqueue_kernel(ptr addrspace(4) addrspacecast (ptr @k_block_invoke_kernel to ptr addrspace(4)), ptr addrspace(4) %captured)
  ret void
}

; CHECK-LABEL: define internal spir_func void @k_block_invoke
; CHECK: call spir_func i32 @__clpy_enqueue_kernel(ptr addrspace(4) addrspacecast (ptr inttoptr (i64 2 to ptr) to ptr addrspace(4)),
define internal spir_func void @k_block_invoke(ptr addrspace(4) %captured) {
  %r = call spir_func i32 @__clpy_enqueue_kernel(ptr addrspace(4) addrspacecast (ptr @k_block_invoke_kernel to ptr addrspace(4)), ptr addrspace(4) %captured)
  ret void
}

; CHECK-LABEL: define dso_local spir_kernel void @k_block_invoke_kernel
; CHECK: call spir_func void @k_block_invoke
define internal spir_kernel void @k_block_invoke_kernel(ptr addrspace(4) %captured) {
  call spir_func void @k_block_invoke(ptr addrspace(4) %captured)
  ret void
}
