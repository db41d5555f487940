; RUN: work_items,regions
; Some work-items may return before the barrier (undefined, yet seen in programs): that they have ended is noted, in 4
; bytes, later regions pass over them, and the others, which are together, go on. What is uniform for these stays so: the
; counter of the loop is the driver's.
declare i64 @_Z13get_global_idj(i32) memory(none)
declare i64 @_Z12get_local_idj(i32) memory(none)
declare i64 @_Z14get_local_sizej(i32) memory(none)
declare i64 @_Z12get_group_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

; CHECK-LABEL: define internal i32 @k.region.0(
; CHECK: store i32 {{-1|1}}, ptr
; CHECK-NEXT: ret i32 {{-1|1}}
; CHECK: store i32 {{-1|1}}, ptr
; CHECK-NEXT: ret i32 {{-1|1}}
; CHECK-LABEL: define internal void @k.region.1(
; CHECK: %state = load i32, ptr
; CHECK-NEXT: [[HERE:%\d+]] = icmp ne i32 %state, -1
; CHECK-NEXT: br i1 [[HERE]], label %start, label %elsewhere
; CHECK: elsewhere:
; CHECK-NEXT: ret void
; CHECK-LABEL: define internal i32 @k.region.2(ptr addrspace(3) %l, i64 %n, i64 %in.
; CHECK-NOT: elsewhere
; CHECK-LABEL: define internal void @k.group(
; CHECK: [[NEXT:%\d+]] = call i32 @k.region.0.foreach(
; CHECK-NEXT: switch i32 [[NEXT]], label %done [
; CHECK: call void @k.region.1.foreach(
; CHECK: call i32 @k.region.2(
; CHECK: "clpy-context-bytes"="4" "clpy-exits"="varying"
define spir_kernel void @k(ptr addrspace(3) %l, i64 %n) {
entry:
  %t = call i64 @_Z13get_global_idj(i32 0)
  %out = icmp uge i64 %t, %n
  br i1 %out, label %end, label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %again ]
  call void @_Z7barrierj(i32 1)
  %at = getelementptr i32, ptr addrspace(3) %l, i64 %t
  store i32 1, ptr addrspace(3) %at
  call void @_Z7barrierj(i32 1)
  br label %again
again:
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
