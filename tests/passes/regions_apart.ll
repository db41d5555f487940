; RUN: work_items,regions
; Work-items come to different barriers (undefined, yet seen in programs): each has its state, in 4 bytes, regions pass
; over those that are elsewhere, the group goes on with the first region of any, and no value is taken for that of all.
declare i64 @_Z13get_global_idj(i32) memory(none)
declare i64 @_Z12get_local_idj(i32) memory(none)
declare i64 @_Z14get_local_sizej(i32) memory(none)
declare i64 @_Z12get_group_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

; CHECK-LABEL: define internal i32 @k.region.0(
; CHECK: store i32 {{1|2}}, ptr
; CHECK-NEXT: ret i32 {{1|2}}
; CHECK: store i32 {{1|2}}, ptr
; CHECK-NEXT: ret i32 {{1|2}}
; CHECK-LABEL: define internal i32 @k.region.1(
; CHECK: %state = load i32, ptr
; CHECK-NEXT: [[HERE:%\d+]] = icmp eq i32 %state, 1
; CHECK-NEXT: br i1 [[HERE]], label %start, label %elsewhere
; CHECK: elsewhere:
; CHECK-NEXT: ret i32 %state
; CHECK-LABEL: define internal i32 @k.region.2(
; CHECK: icmp eq i32 %state, 2
; CHECK-LABEL: define internal void @k.group(
; CHECK: switch i32 {{.*}}, label %done [
; CHECK-NEXT: i32 0, label %run.0
; CHECK-NEXT: i32 1, label %run.1
; CHECK-NEXT: i32 2, label %run.2
; CHECK: "clpy-context-bytes"="4" "clpy-exits"="varying"
define spir_kernel void @k(ptr addrspace(3) %l, i64 %n) {
entry:
  %t = call i64 @_Z13get_global_idj(i32 0)
  %small = icmp uge i64 %t, %n
  br i1 %small, label %one, label %other
one:
  call void @_Z7barrierj(i32 1)
  store i32 1, ptr addrspace(3) %l
  ret void
other:
  call void @_Z7barrierj(i32 1)
  store i32 2, ptr addrspace(3) %l
  ret void
}
