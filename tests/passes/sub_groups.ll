; RUN: sub_groups
; A sub-group is a vector of as many work-items as a register has floats. What is the same for all of them is a scalar:
; a ballot is the mask as a number. Lanes that do not take part have the identity of an operation.
declare i32 @_Z22get_max_sub_group_sizev()
declare i32 @_Z22get_sub_group_local_idv()
declare i32 @_Z16get_sub_group_idv()
declare i32 @_Z23__clpy_sub_group_ballotbb(i1, i1)
declare i32 @_Z27__clpy_sub_group_reduce_addib(i32, i1)
declare i32 @_Z30__clpy_sub_group_exclusive_addib(i32, i1)
declare i32 @_Z24__clpy_sub_group_shuffleijb(i32, i32, i1)
declare void @k.region.0.foreach(ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.foreach(
; CHECK: icmp uge i64 {{%\w+}}, 16
; CHECK: call void @k.region.0.wave16(
; CHECK: call void @k.region.0.all16(
; CHECK: call void @k.region.0.row16(
; CHECK-LABEL: define internal void @k.region.0.row16(
; CHECK: %active = icmp ult <16 x i32>
; CHECK: udiv i64 %linear, 16
; CHECK: br i1 {{%\w+}}, label %do, label %end
; CHECK: [[MASKED:%\w+]] = select <16 x i1> {{%\w+}}, <16 x i32> {{%\w+}}, <16 x i32> zeroinitializer
; CHECK-NEXT: [[OTHER:%\w+]] = shufflevector <16 x i32> [[MASKED]], <16 x i32> [[MASKED]], <16 x i32> <i32 8, i32 9,
; CHECK-NEXT: add <16 x i32> [[MASKED]], [[OTHER]]
; CHECK: extractelement <16 x i32> {{%\w+}}, i64 0
; CHECK: [[CHOSEN:%\w+]] = select <16 x i1> {{%\w+}}, <16 x i1> {{%\w+}}, <16 x i1> zeroinitializer
; CHECK-NEXT: [[BITS:%\w+]] = bitcast <16 x i1> [[CHOSEN]] to i16
; CHECK-NEXT: zext i16 [[BITS]] to i32
; CHECK: shufflevector <16 x i32> {{%\w+}}, <16 x i32> zeroinitializer, <16 x i32> <i32 16, i32 0, i32 1,
; CHECK: extractelement <16 x i32> {{%\w+}}, i64 15
; CHECK-NOT: call i32 @_Z
define internal void @k.region.0(ptr addrspace(1) %a, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %lid.0
  %x = load i32, ptr addrspace(1) %pa
  %n = call i32 @_Z16get_sub_group_idv()
  %odd = trunc i32 %x to i1
  br i1 %odd, label %do, label %end
do:
  %sum = call i32 @_Z27__clpy_sub_group_reduce_addib(i32 %x, i1 true)
  %few = icmp slt i32 %x, 7
  %ballot = call i32 @_Z23__clpy_sub_group_ballotbb(i1 %few, i1 true)
  %before = call i32 @_Z30__clpy_sub_group_exclusive_addib(i32 %x, i1 true)
  %size = call i32 @_Z22get_max_sub_group_sizev()
  %of = call i32 @_Z24__clpy_sub_group_shuffleijb(i32 %x, i32 47, i1 true)
  %0 = add i32 %sum, %ballot
  %1 = add i32 %0, %before
  %2 = add i32 %1, %of
  %with = add i32 %2, %size
  %3 = add i32 %with, %n
  store i32 %3, ptr addrspace(1) %pa
  br label %end
end:
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" "clpy-sub-groups" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" "clpy-sub-groups" }
