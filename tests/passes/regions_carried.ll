; RUN: work_items,regions
; A value of each work-item that the loop changes: region 1 has two sources for %s, its own and context memory.
declare i64 @_Z13get_global_idj(i32) memory(none)
declare i64 @_Z12get_local_idj(i32) memory(none)
declare i64 @_Z14get_local_sizej(i32) memory(none)
declare i64 @_Z12get_group_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

; CHECK-LABEL: define internal i32 @k.region.1(
; CHECK: %slot = alloca i32
; CHECK: start:
; CHECK: [[OLD:%\w+]] = load i32, ptr %{{\d+}}, align 4
; CHECK-NEXT: store i32 [[OLD]], ptr %slot
; CHECK: cut.1:
; CHECK: %s = phi i32 [ %sum, %head ]
; CHECK: store i32 %s, ptr %slot
; CHECK: [[NEW:%\w+]] = load i32, ptr %slot
; CHECK-NEXT: store i32 [[NEW]], ptr %{{\d+}}, align 4
; CHECK: ret i32 1
; CHECK: head:
; CHECK: [[S:%\w+]] = load i32, ptr %slot
; CHECK-NEXT: %sum = add i32 [[S]], %v
; CHECK: "clpy-context-bytes"="4"
define spir_kernel void @k(ptr addrspace(3) %l, i32 %n) {
entry:
  %t = call i64 @_Z12get_local_idj(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(3) %l, i64 %t
  %first = load i32, ptr addrspace(3) %p
  br label %head
head:
  %s = phi i32 [ %first, %entry ], [ %sum, %head ]
  %r = phi i32 [ 0, %entry ], [ %next, %head ]
  call void @_Z7barrierj(i32 1)
  %v = load i32, ptr addrspace(3) %p
  %sum = add i32 %s, %v
  %next = add i32 %r, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %head, label %end
end:
  store i32 %sum, ptr addrspace(3) %p
  ret void
}
