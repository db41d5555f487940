; RUN: work_items,regions
; A place that is held inside bounds is computed again behind a barrier: where it is one of dimension 1, the row's vectors
; see that it is the same for all of them.
target datalayout = "e-i64:64"
declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent
declare i64 @llvm.smax.i64(i64, i64)

; CHECK-LABEL: define internal void @k.region.0(
; CHECK-NOT: %context
; CHECK: ret void
; CHECK-LABEL: define internal void @k.region.1(
; CHECK: start:
; CHECK: [[ABOVE:%\w+]] = add i64 %lid.1, -1
; CHECK: call i64 @llvm.smax.i64(i64 [[ABOVE]], i64 %least)
; CHECK: "clpy-context-bytes"="0"
define spir_kernel void @k(ptr addrspace(1) %o, i64 %least) {
  %y = call i64 @_Z12get_local_idj(i32 1)
  %above = add i64 %y, -1
  %held = call i64 @llvm.smax.i64(i64 %above, i64 %least)
  %a = getelementptr inbounds i32, ptr addrspace(1) %o, i64 %held
  store i32 1, ptr addrspace(1) %a
  call void @_Z7barrierj(i32 1)
  store i32 2, ptr addrspace(1) %a
  ret void
}
