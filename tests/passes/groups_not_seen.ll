; RUN: work_items,local_memory,regions,work_item_loop,retarget,kernel_abi O0
; Where all groups have one size, a kernel that cannot tell groups apart is prepared for a smaller last one all the
; same: the runtime may choose any size for it. Whoever asks for a group, waits in one or has memory of one, is not.
@l = internal addrspace(3) global i32 poison
declare i64 @_Z13get_global_idj(i32) memory(none)
declare i64 @_Z12get_group_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

; CHECK-LABEL: define void @__clpy_kernel.blind(
; CHECK: %lsize.0 = call i64 @llvm.umin.i64(i64 %{{\d+}}, i64 %esize.0)
define spir_kernel void @blind(ptr addrspace(1) %p) #0 {
  %i = call i64 @_Z13get_global_idj(i32 0)
  %a = getelementptr inbounds i8, ptr addrspace(1) %p, i64 %i
  store i8 1, ptr addrspace(1) %a
  ret void
}

; CHECK-LABEL: define void @__clpy_kernel.asks(
; CHECK-NOT: umin
; CHECK-LABEL: define void @__clpy_kernel.waits(
; CHECK-NOT: umin
; CHECK-LABEL: define void @__clpy_kernel.has_variable(
; CHECK-NOT: umin
; CHECK-LABEL: define void @__clpy_kernel.has_argument(
; CHECK-NOT: umin
; CHECK-LABEL: define void @__clpy_kernel.has_size(
; CHECK-NOT: umin
; CHECK-LABEL: define void @__clpy_kernel.last(
; CHECK: umin
define spir_kernel void @asks(ptr addrspace(1) %p) #0 {
  %i = call i64 @_Z12get_group_idj(i32 0)
  store i64 %i, ptr addrspace(1) %p
  ret void
}

define spir_kernel void @waits(ptr addrspace(1) %p) #0 {
  store i8 1, ptr addrspace(1) %p
  call void @_Z7barrierj(i32 2)
  store i8 2, ptr addrspace(1) %p
  ret void
}

define spir_kernel void @has_variable(ptr addrspace(1) %p) #0 {
  %old = atomicrmw add ptr addrspace(3) @l, i32 1 monotonic
  store i32 %old, ptr addrspace(1) %p
  ret void
}

define spir_kernel void @has_argument(ptr addrspace(3) %p) #0 {
  store i8 1, ptr addrspace(3) %p
  ret void
}

define spir_kernel void @has_size(ptr addrspace(1) %p) #0 !reqd_work_group_size !0 {
  store i8 1, ptr addrspace(1) %p
  ret void
}

define spir_kernel void @last(ptr addrspace(1) %p) #0 {
  store i8 1, ptr addrspace(1) %p
  ret void
}

attributes #0 = { "uniform-work-group-size"="true" }
!0 = !{i32 16, i32 2, i32 1}
