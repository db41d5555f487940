; RUN: work_items,local_memory,regions,work_item_loop,retarget,kernel_abi O0
; The function the runtime calls: arguments from the block, a loop over groups, a last group that may be smaller. A
; required size becomes constants.
declare i64 @_Z13get_global_idj(i32) memory(none)
declare i64 @_Z12get_local_idj(i32) memory(none)
declare i64 @_Z14get_local_sizej(i32) memory(none)
declare i64 @_Z12get_group_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

; CHECK-LABEL: define void @__clpy_kernel.k(ptr noalias noundef nonnull readonly align 8 dereferenceable(112) %launch, ptr {{.*}} %args, ptr {{.*}} %mem, i64 %gx.first, i64 %gx.end, i64 %gy, i64 %gz)
; CHECK: %esize.0 = load i64, ptr %{{\d+}}, align 8, !range
; CHECK: %local = load ptr addrspace(3), ptr %mem, align 8
; CHECK: [[B:%\d+]] = load i8, ptr %args, align 1
; CHECK: [[P:%\d+]] = load ptr addrspace(1), ptr %{{\d+}}, align 8
; CHECK: [[OFFSET:%\d+]] = load i64, ptr %{{\d+}}, align 8
; CHECK: getelementptr {{.*}} i8, ptr addrspace(3) %local, i64 [[OFFSET]]
; CHECK: [[ANY:%\d+]] = icmp ult i64 %gx.first, %gx.end
; CHECK: br i1 [[ANY]], label %group, label %done
; CHECK: %gx = phi i64 [ %gx.first, %entry ], [ [[NEXT:%\d+]], %{{.*}} ]
; CHECK: %lsize.0 = call i64 @llvm.umin.i64(i64 %{{\d+}}, i64 %esize.0)
; CHECK: %gbase.0 = add nuw nsw i64 %goffset.0, %{{\d+}}
; CHECK: store i8
; CHECK: [[NEXT]] = add nuw nsw i64 %gx, 1
; CHECK-LABEL: define void @__clpy_kernel.fixed(
; CHECK-NOT: esize
; CHECK: icmp ult i64 %{{\d+}}, 16
; CHECK: icmp uge i64 %{{\d+}}, 2
define spir_kernel void @k(i8 %b, ptr addrspace(1) %p, ptr addrspace(3) %l) {
  %i = call i64 @_Z13get_global_idj(i32 0)
  %a = getelementptr inbounds i8, ptr addrspace(1) %p, i64 %i
  store i8 %b, ptr addrspace(1) %a
  store i8 %b, ptr addrspace(3) %l
  ret void
}

define spir_kernel void @fixed(ptr addrspace(1) %p) #0 !reqd_work_group_size !0 {
  %i = call i64 @_Z13get_global_idj(i32 0)
  %a = getelementptr inbounds i8, ptr addrspace(1) %p, i64 %i
  store i8 1, ptr addrspace(1) %a
  ret void
}

attributes #0 = { "uniform-work-group-size"="true" }
!0 = !{i32 16, i32 2, i32 1}
