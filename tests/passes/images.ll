; RUN: images
; Image arguments become pointers to descriptors, samplers numbers, in functions too; a chosen one stays chosen.
; CHECK-LABEL: define spir_kernel void @k(
; CHECK-SAME: ptr addrspace(2) noundef nonnull readonly align 8 dereferenceable(64) %image, i32 %s
; CHECK-SAME: !reqd_work_group_size
; CHECK-NOT: target("spirv
; CHECK: select i1 %c, i32 %s, i32 39
; CHECK: load i32, ptr addrspace(2) {{.*}} !invariant.load
; CHECK: call spir_func i32 @f(ptr addrspace(2) %image, i32
; CHECK-LABEL: define spir_func i32 @f(
; CHECK-SAME: ptr addrspace(2) {{.*}}%image, i32 %s
; CHECK: ret i32 %s
declare spir_func target("spirv.Sampler") @__translate_sampler_initializer(i32)
declare spir_func ptr addrspace(2) @_Z11__clpy_view14ocl_image2d_ro(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0))
declare spir_func i32 @_Z14__clpy_sampler11ocl_sampler(target("spirv.Sampler"))

define spir_kernel void @k(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %image, target("spirv.Sampler") %s, i1 %c, ptr addrspace(1) %out) !reqd_work_group_size !0 {
entry:
  %variable = alloca target("spirv.Sampler")
  %literal = call spir_func target("spirv.Sampler") @__translate_sampler_initializer(i32 39)
  %chosen = select i1 %c, target("spirv.Sampler") %s, target("spirv.Sampler") %literal
  store target("spirv.Sampler") %chosen, ptr %variable
  %view = call spir_func ptr addrspace(2) @_Z11__clpy_view14ocl_image2d_ro(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %image)
  %at = getelementptr i8, ptr addrspace(2) %view, i64 24
  %width = load i32, ptr addrspace(2) %at
  store i32 %width, ptr addrspace(1) %out
  %again = load target("spirv.Sampler"), ptr %variable
  %bits = call spir_func i32 @f(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %image, target("spirv.Sampler") %again)
  store i32 %bits, ptr addrspace(1) %out
  ret void
}

define spir_func i32 @f(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %image, target("spirv.Sampler") %s) {
entry:
  %bits = call spir_func i32 @_Z14__clpy_sampler11ocl_sampler(target("spirv.Sampler") %s)
  ret i32 %bits
}

!0 = !{i32 8, i32 1, i32 1}
