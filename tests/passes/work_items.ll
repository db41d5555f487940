; RUN: work_items
; Ids become parameters and sums of them, sizes loads from the launch record; both dimensions beyond 2 and dimensions
; that are known at run time only.
declare i64 @_Z13get_global_idj(i32) memory(none)
declare i64 @_Z12get_local_idj(i32) memory(none)
declare i64 @_Z14get_local_sizej(i32) memory(none)
declare i64 @_Z15get_global_sizej(i32) memory(none)
declare i32 @_Z12get_work_dimv() memory(none)
declare i64 @_Z19get_local_linear_idv() memory(none)
declare void @use(i64)

; CHECK-LABEL: define internal void @k.item(ptr addrspace(1) noalias %o, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0
; CHECK-NEXT: entry:
; CHECK-NEXT: %gid.1 = add nuw nsw i64 %gbase.1, %lid.1
; CHECK: [[AT:%\w+]] = getelementptr {{.*}} i8, ptr %launch, i64 32
; CHECK-NEXT: [[SIZE:%\w+]] = load i64, ptr [[AT]], {{.*}} !invariant.load
; CHECK: load i32, ptr %launch
; CHECK: %linear = add nuw nsw i64
; CHECK-NOT: alloca
; CHECK: call void @use(i64 %gid.1)
; CHECK-NEXT: call void @use(i64 %lid.2)
; CHECK-NEXT: call void @use(i64 %lsize.0)
; CHECK-NEXT: call void @use(i64 [[SIZE]])
; CHECK-NEXT: call void @use(i64 0)
; CHECK-NEXT: call void @use(i64 1)
; CHECK: call void @use(i64 %linear)
; CHECK-NOT: @_Z13get_global_idj(i32 1)
define spir_kernel void @k(ptr addrspace(1) noalias %o) "uniform-work-group-size"="true" {
entry:
  %a = call i64 @_Z13get_global_idj(i32 1)
  call void @use(i64 %a)
  %b = call i64 @_Z12get_local_idj(i32 2)
  call void @use(i64 %b)
  %c = call i64 @_Z14get_local_sizej(i32 0)
  call void @use(i64 %c)
  %d = call i64 @_Z15get_global_sizej(i32 0)
  call void @use(i64 %d)
  %e = call i64 @_Z13get_global_idj(i32 3)
  call void @use(i64 %e)
  %f = call i64 @_Z14get_local_sizej(i32 77)
  call void @use(i64 %f)
  %g = call i32 @_Z12get_work_dimv()
  %h = zext i32 %g to i64
  call void @use(i64 %h)
  %i = call i64 @_Z19get_local_linear_idv()
  call void @use(i64 %i)
  ret void
}

; CHECK-LABEL: define internal void @runtime.item
; CHECK: icmp eq i32 %d, 2
; CHECK-NEXT: select i1 {{.*}}, i64 %lid.2, i64 0
; CHECK: icmp eq i32 %d, 1
; CHECK-NEXT: select i1 {{.*}}, i64 %lid.1
; CHECK: icmp eq i32 %d, 0
; CHECK-NEXT: [[ID:%\w+]] = select i1 {{.*}}, i64 %lid.0
; CHECK-NEXT: call void @use(i64 [[ID]])
define spir_kernel void @runtime(i32 %d) !reqd_work_group_size !0 {
  %a = call i64 @_Z12get_local_idj(i32 %d)
  call void @use(i64 %a)
  ret void
}

; CHECK: "clpy-kernel"="k"{{.*}}"clpy-uniform-groups"
; CHECK: "clpy-kernel"="runtime" "clpy-reqd-size"="8,4,1"
!0 = !{i32 8, i32 4, i32 1}
