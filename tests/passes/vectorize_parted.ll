; RUN: work_items,regions,vectorize width=4
; Work-items that return before a barrier leave the others as vectors: a region's answer is the smallest of those that
; take part, and where nobody of a vector has ended the region behind the barrier has no mask. That the place in
; dimension 1 is used for context memory does not turn the lanes that way.
declare i64 @_Z13get_global_idj(i32) memory(none)
declare i64 @_Z12get_local_idj(i32) memory(none)
declare i64 @_Z14get_local_sizej(i32) memory(none)
declare i64 @_Z12get_group_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

; CHECK-LABEL: define internal i32 @k.region.0.foreach(
; CHECK: [[ONE:%\d+]] = call i32 @k.region.0.all4(
; CHECK-NEXT: call i32 @llvm.umin.i32(i32 [[ONE]], i32 {{.*}})
; CHECK-LABEL: define internal i32 @k.region.0.all4(
; CHECK: [[LEAST:%\d+]] = call i32 @llvm.vector.reduce.umin.v4i32(
; CHECK-NEXT: ret i32 [[LEAST]]
; CHECK-LABEL: define internal void @k.region.1.all4(
; CHECK: %{{.*}} = load <4 x i32>, ptr %
; CHECK: load <4 x i32>, ptr addrspace(1)
; CHECK: store <4 x i32> {{.*}}, ptr addrspace(1)
; CHECK: call void @llvm.masked.store.v4i32.p1(
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %c, i64 %n) {
entry:
  %t = call i64 @_Z13get_global_idj(i32 0)
  %out = icmp uge i64 %t, %n
  br i1 %out, label %end, label %in
in:
  call void @_Z7barrierj(i32 1)
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %t
  %x = load i32, ptr addrspace(1) %pa
  %pc = getelementptr i32, ptr addrspace(1) %c, i64 %t
  %y = mul i32 %x, 3
  store i32 %y, ptr addrspace(1) %pc
  ret void
end:
  ret void
}
