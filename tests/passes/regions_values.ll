; RUN: work_items,regions
; What crosses a barrier: %gid.0 and %a are computed again, the loaded values wait in context memory, the larger first:
; for each work-item 8 bytes, then 4 bytes for each.
target datalayout = "e-i64:64"
declare i64 @_Z13get_global_idj(i32) memory(none)
declare i64 @_Z12get_local_idj(i32) memory(none)
declare i64 @_Z14get_local_sizej(i32) memory(none)
declare i64 @_Z12get_group_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

; CHECK-LABEL: define internal void @k.region.0(
; CHECK: %v = load i32, ptr addrspace(1) %a
; CHECK: store i32 %v, ptr %{{\d+}}, align 4
; CHECK-NEXT: store i64 %w, ptr %{{\d+}}, align 8
; CHECK-NEXT: ret void
; CHECK-LABEL: define internal void @k.region.1(
; CHECK: start:
; CHECK: [[AT:%\d+]] = mul nuw nsw i64 %linear, 4
; CHECK-NEXT: [[START:%\d+]] = mul nuw nsw i64 %items, 8
; CHECK-NEXT: [[ARRAY:%\d+]] = getelementptr inbounds i8, ptr %context, i64 [[START]]
; CHECK-NEXT: [[PLACE:%\d+]] = getelementptr inbounds i8, ptr [[ARRAY]], i64 [[AT]]
; CHECK-NEXT: %v = load i32, ptr [[PLACE]], align 4
; CHECK: [[GID:%\d+]] = add nuw nsw i64 %gbase.0, %lid.0
; CHECK: [[A:%\d+]] = getelementptr inbounds i32, ptr addrspace(1) %o, i64 [[GID]]
; CHECK: store i32 %v, ptr addrspace(1) [[A]]
; CHECK: store i64 %w, ptr addrspace(1) [[A]]
; CHECK: "clpy-context-bytes"="12"
define spir_kernel void @k(ptr addrspace(1) %o) {
  %i = call i64 @_Z13get_global_idj(i32 0)
  %a = getelementptr inbounds i32, ptr addrspace(1) %o, i64 %i
  %v = load i32, ptr addrspace(1) %a
  %w = load i64, ptr addrspace(1) %a
  call void @_Z7barrierj(i32 1)
  store i32 %v, ptr addrspace(1) %a
  store i64 %w, ptr addrspace(1) %a
  ret void
}
