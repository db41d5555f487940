; RUN: sub_groups
; Work-items that may part ways at a barrier stay sub-groups: of each the work-items that are here take part, and the
; group goes on with the first region that any of its work-items goes to.
declare i32 @_Z27__clpy_sub_group_reduce_addib(i32, i1)
declare i32 @k.region.1.foreach(ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal i32 @k.region.1.foreach(
; CHECK: store i32 -1, ptr %answer
; CHECK: call i32 @k.region.1.wave16(
; CHECK: [[OF_ALL:%\w+]] = call i32 @k.region.1.all16(
; CHECK: [[SO_FAR:%\w+]] = load i32, ptr %answer
; CHECK: [[LEAST:%\w+]] = call i32 @llvm.umin.i32(i32 [[OF_ALL]], i32 [[SO_FAR]])
; CHECK: store i32 [[LEAST]], ptr %answer
; CHECK: call i32 @k.region.1.row16(
; CHECK-LABEL: define internal i32 @k.region.1.row16(
; CHECK: [[NEXT:%\w+]] = select <16 x i1> %active, <16 x i32> %{{\w+}}, <16 x i32> splat (i32 -1)
; CHECK: call i32 @llvm.vector.reduce.umin.v16i32(<16 x i32> [[NEXT]])
define internal i32 @k.region.1(ptr addrspace(1) %a, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %lid.0
  %x = load i32, ptr addrspace(1) %pa
  %here = icmp eq i32 %x, 1
  br i1 %here, label %start, label %elsewhere
start:
  %all = call i32 @_Z27__clpy_sub_group_reduce_addib(i32 %x, i1 true)
  store i32 %all, ptr addrspace(1) %pa
  ret i32 2
elsewhere:
  ret i32 %x
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="varying" "clpy-sub-groups" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" "clpy-sub-groups" }
