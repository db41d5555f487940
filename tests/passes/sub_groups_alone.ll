; RUN: sub_groups
; Work-items whose private arrays are too large for vectors run one after the other: each is a sub-group.
declare i32 @_Z22get_max_sub_group_sizev()
declare i32 @_Z22get_sub_group_local_idv()
declare i32 @_Z16get_sub_group_idv()
declare i32 @_Z23__clpy_sub_group_ballotbb(i1, i1)
declare i32 @_Z27__clpy_sub_group_reduce_addib(i32, i1)
declare i32 @_Z31__clpy_sub_group_exclusive_sminib(i32, i1)
declare i32 @k.region.0.foreach(ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal i32 @k.region.0(
; CHECK: %sum = add i32 %x, 2147483647
; CHECK: [[ID:%\w+]] = trunc i64 %linear to i32
; CHECK: add i32 %{{\w+}}, [[ID]]
; CHECK: ret i32 1
define internal i32 @k.region.0(ptr addrspace(1) %a, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
  %array = alloca [100000 x i32]
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %lid.0
  %x = load i32, ptr addrspace(1) %pa
  %at = getelementptr i32, ptr %array, i32 %x
  store volatile i32 1, ptr %at
  %all = call i32 @_Z27__clpy_sub_group_reduce_addib(i32 %x, i1 true)
  %least = call i32 @_Z31__clpy_sub_group_exclusive_sminib(i32 %x, i1 true)
  %sum = add i32 %all, %least
  %n = call i32 @_Z16get_sub_group_idv()
  %more = add i32 %sum, %n
  store i32 %more, ptr addrspace(1) %pa
  %size = call i32 @_Z22get_max_sub_group_sizev()
  ret i32 %size
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="uniform" "clpy-sub-groups" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" "clpy-sub-groups" }
