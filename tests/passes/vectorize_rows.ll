; RUN: vectorize width=4
; Lanes that each walk along a row of unknown length read blocks of it with one vector per lane, and transpose them; where
; the loop writes what may be the same memory, they gather, and where it turns out to be shorter than a block. Of all rows as
; much is read as the block will hold of the shortest: one mask for all. (How many turns are left is not asked where a counter goes up to its bound.)
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.all4(
; CHECK: alloca [4 x <4 x i32>], align 64
; CHECK: %[[SLOT:.+]] = alloca i1
; CHECK: %[[TURNS:.+]] = sub i64 {{.+}}, 0
; CHECK: %[[IS_FEW:.+]] = icmp ult i64 %[[TURNS]], 3
; CHECK: store i1 %[[IS_FEW]], ptr %[[SLOT]]
; CHECK: %[[FEW:.+]] = load i1, ptr %[[SLOT]]
; CHECK: br i1 %[[FEW]], label %[[APART:.+]], label %[[BLOCK:.+]]
; CHECK: @llvm.masked.gather.v4i32.v4p1(
; CHECK: [[APART]]:
; CHECK: @llvm.masked.gather.v4i32.v4p1(
; CHECK: [[BLOCK]]:
; CHECK: icmp eq i64 {{.*}}, 0
; CHECK: and <4 x i64> {{.*}}, splat (i64 4095)
; CHECK: [[HELD:%\w+]] = call i64 @llvm.vector.reduce.umin.v4i64(
; CHECK: [[ONE:%\w+]] = insertelement <4 x i64> poison, i64 [[HELD]], i64 0
; CHECK: [[ALL:%\w+]] = shufflevector <4 x i64> [[ONE]]
; CHECK: [[INSIDE:%\w+]] = icmp ult <4 x i64> <i64 0, i64 1, i64 2, i64 3>, [[ALL]]
; CHECK: @llvm.masked.load.v4i32.p1({{.*}}, <4 x i1> [[INSIDE]],
; CHECK: @llvm.masked.load.v4i32.p1({{.*}}, <4 x i1> [[INSIDE]],
; CHECK: shufflevector {{.*}} <4 x i32> <i32 0, i32 4, i32 1, i32 5>
; CHECK: shufflevector {{.*}} <4 x i32> <i32 2, i32 6, i32 3, i32 7>
; CHECK-LABEL: define internal void @k.region.0.some4(
; CHECK: @llvm.masked.gather.v4i32.v4p1(
; CHECK: @llvm.masked.gather.v4i32.v4p1(
; CHECK-NOT: gather
; CHECK: @llvm.vector.reduce.umin.v4i64(
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %length = zext i32 %n to i64
  %row = mul i64 %lid.0, %length
  br label %loop
loop:
  %j = phi i64 [ 0, %entry ], [ %j1, %loop ]
  %s = phi i32 [ 0, %entry ], [ %s1, %loop ]
  %i = add i64 %row, %j
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p
  %s1 = add i32 %s, %v
  %j1 = add nuw nsw i64 %j, 1
  %more = icmp ule i64 %j1, %length
  br i1 %more, label %loop, label %second
second:
  %k = phi i64 [ 0, %loop ], [ %k1, %second ]
  %t = phi i32 [ %s1, %loop ], [ %t1, %second ]
  %i2 = add i64 %row, %k
  %p2 = getelementptr i32, ptr addrspace(1) %a, i64 %i2
  %v2 = load i32, ptr addrspace(1) %p2
  %t1 = add i32 %t, %v2
  %q = getelementptr i32, ptr addrspace(1) %c, i64 %lid.0
  store i32 %t1, ptr addrspace(1) %q
  %k1 = add nuw nsw i64 %k, 1
  %again = icmp ule i64 %k1, %length
  br i1 %again, label %second, label %end
end:
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
