; RUN: work_items,regions
; A barrier in a loop: the counter and the condition belong to the driver, which runs region 1 and 2 once for the group;
; the work of the loop and what follows are regions of their own.
declare i64 @_Z13get_global_idj(i32) memory(none)
declare i64 @_Z12get_local_idj(i32) memory(none)
declare i64 @_Z14get_local_sizej(i32) memory(none)
declare i64 @_Z12get_group_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

; CHECK-LABEL: define internal i32 @k.region.1(
; CHECK: icmp
; CHECK: ret i32 {{[34]}}
; CHECK: ret i32 {{[34]}}
; CHECK-LABEL: define internal i32 @k.region.2(ptr addrspace(3) %l, i32 %n, i32 %in.{{\d+}}, ptr %out.{{\d+}},
; CHECK: add i32 {{.*}}, 1
; CHECK-LABEL: define internal void @k.region.3(
; CHECK-LABEL: define internal void @k.region.4(
; CHECK-LABEL: define internal void @k.group(
; CHECK: run.0:
; CHECK: call void @k.region.0.foreach(
; CHECK: run.1:
; CHECK: call i32 @k.region.1(ptr addrspace(3) %l, i32 %n, {{.*}} i64 0, i64 0, i64 0,
; CHECK: run.2:
; CHECK: call i32 @k.region.2(
; CHECK: run.3:
; CHECK: call void @k.region.3.foreach(
; CHECK: run.4:
; CHECK: call void @k.region.4.foreach(
; CHECK: "clpy-exits"="uniform"
define spir_kernel void @k(ptr addrspace(3) %l, i32 %n) {
entry:
  %t = call i64 @_Z12get_local_idj(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(3) %l, i64 %t
  store i32 0, ptr addrspace(3) %p
  call void @_Z7barrierj(i32 1)
  br label %head
head:
  %r = phi i32 [ 0, %entry ], [ %next, %work ]
  %more = icmp slt i32 %r, %n
  br i1 %more, label %work, label %end
work:
  store i32 %r, ptr addrspace(3) %p
  call void @_Z7barrierj(i32 1)
  %next = add i32 %r, 1
  br label %head
end:
  store i32 7, ptr addrspace(3) %p
  ret void
}
