; RUN: work_items,regions
; The whole group returns early: its id decides. No state is needed.
declare i64 @_Z13get_global_idj(i32) memory(none)
declare i64 @_Z12get_local_idj(i32) memory(none)
declare i64 @_Z14get_local_sizej(i32) memory(none)
declare i64 @_Z12get_group_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

; CHECK-LABEL: define internal i32 @k.region.0(
; CHECK: ret i32 {{-1|1}}
; CHECK: ret i32 {{-1|1}}
; CHECK-LABEL: define internal void @k.region.1(
; CHECK-NOT: elsewhere
; CHECK-LABEL: define internal void @k.group(
; CHECK: [[NEXT:%\d+]] = call i32 @k.region.0.foreach(
; CHECK-NEXT: switch i32 [[NEXT]], label %done [
; CHECK-NEXT: i32 1, label %run.1
; CHECK: "clpy-context-bytes"="0" "clpy-exits"="uniform"
define spir_kernel void @k(ptr addrspace(3) %l) {
entry:
  %g = call i64 @_Z12get_group_idj(i32 0)
  %first = icmp eq i64 %g, 0
  br i1 %first, label %end, label %in
in:
  call void @_Z7barrierj(i32 1)
  store i32 1, ptr addrspace(3) %l
  ret void
end:
  ret void
}
