; RUN: sub_groups whole width=0
; Where groups may be taken to be whole vectors, rows of whole sub-groups are all there is: no mask. A kernel whose groups
; are of a size that is no multiple has all forms.
declare i32 @_Z27__clpy_sub_group_reduce_addib(i32, i1)
declare void @x.region.0.foreach(ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1
declare void @y.region.0.foreach(ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #3
declare void @r.region.0.foreach(ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #5

; CHECK-LABEL: define internal void @x.region.0.foreach(
; CHECK: entry:
; CHECK-NEXT: br label %row
; CHECK-NOT: @x.region.0.row16
; CHECK-NOT: @x.region.0.wave16
; CHECK: call void @x.region.0.all16(
; CHECK: ret void
; CHECK-LABEL: define internal void @y.region.0.foreach(
; CHECK-NOT: @y.region.0.wave16
; CHECK: call void @y.region.0.all16(
; CHECK-LABEL: define internal void @r.region.0.foreach(
; CHECK: call void @r.region.0.wave16(
define internal void @x.region.0(ptr addrspace(1) %a, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %lid.0
  %x = load i32, ptr addrspace(1) %pa
  %sum = call i32 @_Z27__clpy_sub_group_reduce_addib(i32 %x, i1 true)
  store i32 %sum, ptr addrspace(1) %pa
  ret void
}
define internal void @y.region.0(ptr addrspace(1) %a, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #2 {
entry:
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %lid.1
  %x = load i32, ptr addrspace(1) %pa
  %sum = call i32 @_Z27__clpy_sub_group_reduce_addib(i32 %x, i1 true)
  store i32 %sum, ptr addrspace(1) %pa
  ret void
}
define internal void @r.region.0(ptr addrspace(1) %a, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #4 {
entry:
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %lid.0
  %x = load i32, ptr addrspace(1) %pa
  %sum = call i32 @_Z27__clpy_sub_group_reduce_addib(i32 %x, i1 true)
  store i32 %sum, ptr addrspace(1) %pa
  ret void
}

attributes #0 = { "clpy-kernel"="x" "clpy-role"="region" "clpy-exits"="none" "clpy-sub-groups" }
attributes #1 = { "clpy-kernel"="x" "clpy-role"="foreach" "clpy-sub-groups" }
attributes #2 = { "clpy-kernel"="y" "clpy-role"="region" "clpy-exits"="none" "clpy-sub-groups" }
attributes #3 = { "clpy-kernel"="y" "clpy-role"="foreach" "clpy-sub-groups" }
attributes #4 = { "clpy-kernel"="r" "clpy-role"="region" "clpy-exits"="none" "clpy-reqd-size"="24,1,1" "clpy-sub-groups" }
attributes #5 = { "clpy-kernel"="r" "clpy-role"="foreach" "clpy-sub-groups" }
