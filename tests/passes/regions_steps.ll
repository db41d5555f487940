; RUN: work_items,regions
; A pointer and a number that go on by the same step for all work-items in a loop with a barrier: where they began is
; computed again in each region, how far all are is a number of the driver. What goes on by a step of each work-item's own
; waits in context memory.
declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

; CHECK-LABEL: define internal i32 @k.region.1(ptr addrspace(1) %a, ptr addrspace(3) %l, i64 %n, i64 %in.{{\d+}}, i64 %in.{{\d+}}, i64 %in.{{\d+}}, ptr
; CHECK: add i64 %lid.0, %in.{{\d+}}
; CHECK: [[BEGAN:%\w+]] = getelementptr float, ptr addrspace(1) %a, i64 %lid.0
; CHECK: getelementptr i8, ptr addrspace(1) [[BEGAN]], i64 %in.{{\d+}}
; CHECK: ret i32
; CHECK: "clpy-context-bytes"="8"
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(3) %l, i64 %n) {
entry:
  %t = call i64 @_Z12get_local_idj(i32 0)
  %start = getelementptr float, ptr addrspace(1) %a, i64 %t
  %own = getelementptr float, ptr addrspace(3) %l, i64 %t
  br label %turn
turn:
  %k = phi i64 [ 0, %entry ], [ %more, %turn ]
  %p = phi ptr addrspace(1) [ %start, %entry ], [ %p2, %turn ]
  %i = phi i64 [ %t, %entry ], [ %i2, %turn ]
  %j = phi i64 [ 0, %entry ], [ %j2, %turn ]
  %x = load float, ptr addrspace(1) %p
  store float %x, ptr addrspace(3) %own
  call void @_Z7barrierj(i32 1)
  %sum = add i64 %i, %j
  %to = getelementptr float, ptr addrspace(1) %a, i64 %sum
  %y = load float, ptr addrspace(3) %l
  store float %y, ptr addrspace(1) %to
  %p1 = getelementptr float, ptr addrspace(1) %p, i64 %n
  %p2 = getelementptr float, ptr addrspace(1) %p1, i64 4
  %i2 = add i64 %n, %i
  %j2 = add i64 %j, %t
  %more = add i64 %k, 1
  %again = icmp slt i64 %more, %n
  br i1 %again, label %turn, label %end
end:
  ret void
}
