; RUN: images
; Code may go by the place of an image among the kernel's arguments: how far behind another one it is, and the one that is
; so many behind it.
; CHECK-LABEL: define spir_kernel void @k(
; CHECK-SAME: %source, i32 %n, ptr addrspace(2) {{.*}}%first, ptr addrspace(2) {{.*}}%second
; CHECK: store i32 2, ptr addrspace(1) %out
; CHECK: [[IS_1:%\w+]] = icmp eq i32 %n, 1
; CHECK: [[LATER:%\w+]] = select i1 [[IS_1]], ptr addrspace(2) %first, ptr addrspace(2) %second
; CHECK: [[IS_0:%\w+]] = icmp eq i32 %n, 0
; CHECK: select i1 [[IS_0]], ptr addrspace(2) %source, ptr addrspace(2) [[LATER]]
; CHECK-NOT: @_Z18
declare spir_func ptr addrspace(2) @_Z18__clpy_image_after14ocl_image2d_roj(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0), i32)
declare spir_func i32 @_Z21__clpy_image_distance14ocl_image2d_ro14ocl_image2d_ro(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0), target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0))

define spir_kernel void @k(ptr addrspace(1) %out, target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %source, i32 %n, target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %first, target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %second) {
  %by = call spir_func i32 @_Z21__clpy_image_distance14ocl_image2d_ro14ocl_image2d_ro(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %source, target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %second)
  store i32 %by, ptr addrspace(1) %out
  %there = call spir_func ptr addrspace(2) @_Z18__clpy_image_after14ocl_image2d_roj(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %source, i32 %n)
  %at = getelementptr i8, ptr addrspace(2) %there, i64 24
  %width = load i32, ptr addrspace(2) %at
  store i32 %width, ptr addrspace(1) %out
  ret void
}
