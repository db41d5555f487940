; RUN: sub_groups
; What there is for sub-groups of one size alone says so, and the kernel has those.
declare i32 @_Z22get_sub_group_local_idv()
declare i32 @_Z20__clpy_sub_groups_ofj(i32)
declare void @k.region.0.foreach(ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.foreach(
; CHECK: call void @k.region.0.wave8(
; CHECK-LABEL: define internal void @k.region.0.row8(
; CHECK-NOT: call i32 @_Z
define internal void @k.region.0(ptr addrspace(1) %a, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %lid.0
  %lane = call i32 @_Z22get_sub_group_local_idv()
  %size = call i32 @_Z20__clpy_sub_groups_ofj(i32 8)
  %last = sub i32 %size, 1
  %n = and i32 %lane, %last
  store i32 %n, ptr addrspace(1) %pa
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" "clpy-sub-groups" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" "clpy-sub-groups" }
