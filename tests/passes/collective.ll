; RUN: inline,work_items,regions O0
; A work-group function: the work-items store what they give at the start of context memory; the driver calls the
; function for all of them once, and hands the result on. Values that live across it lie behind what they share.
declare ptr @__clpy_group_given()
declare void @__clpy_group_cut() convergent
declare i64 @_Z12get_local_idj(i32) memory(none)
declare i64 @_Z14get_local_sizej(i32) memory(none)

; CHECK-NOT: alwaysinline
; CHECK: define internal i32 @_Z23__clpy_group_reduce_addPKim(ptr %given, i64 %n)
; CHECK-LABEL: define internal void @k.region.0(
; CHECK: [[HELD:%\d+]] = mul nuw nsw i64 %items, 16
; CHECK: getelementptr {{.*}} i8, ptr %context, i64 [[HELD]]
; CHECK: %at = getelementptr {{.*}} i32, ptr %{{\w+}}, i64 %lid.0
; CHECK: store i32 %x, ptr %at
; CHECK-LABEL: define internal void @k.region.1(
; CHECK: %sum = call i32 @_Z23__clpy_group_reduce_addPKim(
; CHECK: store i32 %{{\w+}}, ptr %out.
; CHECK-LABEL: define internal void @k.region.2(
; CHECK-NOT: call i32 @_Z23
; CHECK: add i32 %in.{{\d+}},
; CHECK-LABEL: define internal void @k.group(
; CHECK: run.0:
; CHECK: call void @k.region.0.foreach(
; CHECK: run.1:
; CHECK: call void @k.region.1({{.*}} i64 0, i64 0, i64 0,
; CHECK: run.2:
; CHECK: call void @k.region.2.foreach(
; CHECK: "clpy-context-bytes"="20"
define i32 @_Z23__clpy_group_reduce_addPKim(ptr %given, i64 %n) noinline {
  %first = load i32, ptr %given
  ret i32 %first
}

define spir_kernel void @k(ptr addrspace(1) %p) {
  %t = call i64 @_Z12get_local_idj(i32 0)
  %n = call i64 @_Z14get_local_sizej(i32 0)
  %a = getelementptr inbounds i32, ptr addrspace(1) %p, i64 %t
  %x = load i32, ptr addrspace(1) %a
  %given = call ptr @__clpy_group_given()
  %at = getelementptr inbounds i32, ptr %given, i64 %t
  store i32 %x, ptr %at
  call void @__clpy_group_cut()
  %sum = call i32 @_Z23__clpy_group_reduce_addPKim(ptr %given, i64 %n)
  call void @__clpy_group_cut()
  %y = add i32 %sum, %x
  store i32 %y, ptr addrspace(1) %a
  ret void
}
