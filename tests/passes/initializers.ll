; RUN: work_items,regions,work_item_loop,retarget,kernel_abi,initializers O0
; A program with objects that are to be constructed: every kernel but the one that does it asks first whether they have
; been; that one runs with a launch of one work-item, and is nobody else's.
declare i64 @_Z13get_global_idj(i32) memory(none)
@object = internal addrspace(1) global i32 0

; CHECK: @clpy.launch = internal constant
; CHECK-LABEL: define internal void @__clpy_kernel.clpy.initialize(
; CHECK-NOT: @clpy.once
; CHECK-LABEL: define void @__clpy_kernel.k(
; CHECK: entry:
; CHECK-NEXT: call void @clpy.once()
; CHECK-LABEL: define internal void @clpy.once()
; CHECK: load atomic i32, ptr @clpy.constructed acquire
; CHECK: call void @clpy.construct()
; CHECK-LABEL: define internal void @clpy.construct()
; CHECK: cmpxchg ptr @clpy.constructed, i32 0, i32 1
; CHECK: call void @__clpy_kernel.clpy.initialize(ptr @clpy.launch, ptr @clpy.launch, ptr @clpy.group, i64 0, i64 1, i64 0, i64 0)
; CHECK: store atomic i32 2
define spir_kernel void @clpy.initialize() {
  store i32 7, ptr addrspace(1) @object
  ret void
}

define spir_kernel void @k(ptr addrspace(1) %p) {
  %i = call i64 @_Z13get_global_idj(i32 0)
  %a = getelementptr inbounds i32, ptr addrspace(1) %p, i64 %i
  %x = load i32, ptr addrspace(1) @object
  store i32 %x, ptr addrspace(1) %a
  ret void
}
