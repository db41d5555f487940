; RUN: vectorize width=4
; A condition that a branch chooses is a mask; a value that is uniform but changed under a mask is a vector.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.some4(
; CHECK: [[MASK:%\w+]] = select <4 x i1> %active, <4 x i1>
; CHECK: [[BLEND:%[\w.]+]] = select <4 x i1> {{.*}}, <4 x i32> {{.*}}, <4 x i32>
; CHECK: call void @llvm.masked.store.v4i32.p1(<4 x i32> {{.*}}, <4 x i1> {{%\w+}})
; CHECK-NOT: store i32 %n
; CHECK: ret void
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %lid.0
  %x = load i32, ptr addrspace(1) %pa
  %odd = trunc i32 %x to i1
  br i1 %odd, label %one, label %two
one:
  %big = icmp ugt i32 %x, 50
  br label %join
two:
  %m = add i32 %n, 1
  %small = icmp ult i32 %x, 20
  br label %join
join:
  %p = phi i1 [ %big, %one ], [ %small, %two ]
  %v = phi i32 [ %n, %one ], [ %m, %two ]
  br i1 %p, label %do, label %end
do:
  %pc = getelementptr i32, ptr addrspace(1) %c, i64 %lid.0
  store i32 %v, ptr addrspace(1) %pc
  br label %end
end:
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
