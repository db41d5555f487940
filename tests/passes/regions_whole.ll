; RUN: work_items,regions
; Without a cut the work-item function is the region; the driver runs it once.
declare i64 @_Z13get_global_idj(i32) memory(none)
declare i64 @_Z12get_local_idj(i32) memory(none)
declare i64 @_Z14get_local_sizej(i32) memory(none)
declare i64 @_Z12get_group_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

; CHECK-LABEL: define internal void @k.region.0(ptr addrspace(1) %o, i64 %lid.0,
; CHECK-NEXT: %gid.0 = add nuw nsw i64 %gbase.0, %lid.0
; CHECK: store i64 %gid.0
; CHECK: declare void @k.region.0.foreach(
; CHECK-LABEL: define internal void @k.group(ptr addrspace(1) %o, i64 %lsize.0,
; CHECK: call void @k.region.0.foreach(ptr addrspace(1) %o, i64 %lsize.0,
; CHECK-NEXT: ret void
; CHECK: "clpy-exits"="none"
define spir_kernel void @k(ptr addrspace(1) %o) {
  %i = call i64 @_Z13get_global_idj(i32 0)
  store i64 %i, ptr addrspace(1) %o
  ret void
}
