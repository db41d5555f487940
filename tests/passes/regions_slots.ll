; RUN: work_items,regions
; Values that wait for different barriers share a place: 4 bytes serve %v and %w, which no region needs together.
declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

; CHECK-LABEL: define internal void @k.region.1(
; CHECK: start:
; CHECK: [[AT:%\d+]] = mul nuw nsw i64 %linear, 4
; CHECK-NEXT: [[PLACE:%\d+]] = getelementptr inbounds i8, ptr %context, i64 [[AT]]
; CHECK-NEXT: %v = load i32, ptr [[PLACE]]
; CHECK: %w = load i32, ptr addrspace(3)
; CHECK: store i32 %w, ptr %{{\d+}}, align 4
; CHECK: "clpy-context-bytes"="4"
define spir_kernel void @k(ptr addrspace(3) %l) {
  %i = call i64 @_Z12get_local_idj(i32 0)
  %a = getelementptr inbounds i32, ptr addrspace(3) %l, i64 %i
  %v = load i32, ptr addrspace(3) %a
  call void @_Z7barrierj(i32 1)
  store i32 %v, ptr addrspace(3) %a
  %w = load i32, ptr addrspace(3) %a
  call void @_Z7barrierj(i32 1)
  store i32 %w, ptr addrspace(3) %a
  ret void
}
