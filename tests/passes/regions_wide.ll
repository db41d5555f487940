; RUN: work_items,regions
; A barrier with a scope beyond the group orders memory for others: the driver has a fence, once for the group.
declare void @_Z18work_group_barrierj12memory_scope(i32, i32) convergent

; CHECK-LABEL: define internal void @k.group(
; CHECK: run.1:
; CHECK-NOT: fence
; CHECK: call void @k.region.1.foreach
; CHECK: run.2:
; CHECK-NEXT: fence seq_cst
; CHECK-NEXT: call void @k.region.2.foreach
define spir_kernel void @k(ptr addrspace(1) %o) {
  store i32 1, ptr addrspace(1) %o
  call void @_Z18work_group_barrierj12memory_scope(i32 1, i32 1)
  store i32 2, ptr addrspace(1) %o
  call void @_Z18work_group_barrierj12memory_scope(i32 3, i32 2)
  store i32 3, ptr addrspace(1) %o
  ret void
}
