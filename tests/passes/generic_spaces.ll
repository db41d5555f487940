; RUN: work_items,local_memory,regions,work_item_loop,retarget,kernel_abi,generic_spaces O0
; A pointer is local from the start of local memory to that of context memory, private within context memory or in the
; stack frame; the limits are found once for each kernel.
declare i1 @__clpy_is_local(ptr addrspace(4)) memory(none)
declare i1 @__clpy_is_private(ptr addrspace(4)) memory(none)

; CHECK-LABEL: define void @__clpy_kernel.k(
; CHECK: [[LOCAL:%\d+]] = load i64, ptr %{{\d+}}
; CHECK: [[CONTEXT:%\d+]] = load i64, ptr %{{\d+}}
; CHECK: [[FRAME:%\d+]] = call ptr @llvm.frameaddress.p0(i32 0)
; CHECK: [[LOWEST:%\d+]] = call ptr @llvm.stacksave.p0()
; CHECK: [[STACK:%\d+]] = ptrtoint ptr [[LOWEST]] to i64
; CHECK: [[LBYTES:%\d+]] = sub i64 [[CONTEXT]], [[LOCAL]]
; CHECK: icmp ult i64 %{{\d+}}, [[LBYTES]]
; CHECK: [[OFFSET:%\d+]] = sub i64 %{{\d+}}, [[CONTEXT]]
; CHECK: icmp ult i64 [[OFFSET]], %{{\d+}}
; CHECK: sub i64 %{{\d+}}, [[STACK]]
; CHECK-NOT: call {{.*}}@__clpy_is_
define spir_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %out) {
  %q = addrspacecast ptr addrspace(1) %p to ptr addrspace(4)
  %l = call i1 @__clpy_is_local(ptr addrspace(4) %q)
  %s = call i1 @__clpy_is_private(ptr addrspace(4) %q)
  %both = xor i1 %l, %s
  store i1 %both, ptr addrspace(1) %out
  ret void
}
