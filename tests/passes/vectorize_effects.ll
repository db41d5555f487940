; RUN: vectorize width=4
; Atomic operations and calls run lane by lane for the lanes of their mask, in their order.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.some4(
; CHECK: [[MASK:%\w+]] = select <4 x i1> %active, <4 x i1>
; CHECK: [[BIT:%\w+]] = extractelement <4 x i1> [[MASK]], i64 0
; CHECK-NEXT: br i1 [[BIT]]
; CHECK: call {{.*}}@clpy.guarded
; CHECK: [[BIT3:%\w+]] = extractelement <4 x i1> [[MASK]], i64 3
; CHECK-NEXT: br i1 [[BIT3]]
; CHECK: call {{.*}}@clpy.guarded
; CHECK: call void @llvm.masked.store.v4i32.p1({{.*}} <4 x i1> [[MASK]])
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %lid.0
  %x = load i32, ptr addrspace(1) %pa
  %odd = trunc i32 %x to i1
  br i1 %odd, label %do, label %end
do:
  %old = atomicrmw add ptr addrspace(1) %c, i32 %x seq_cst
  %pc = getelementptr i32, ptr addrspace(1) %c, i64 %lid.0
  %p2 = getelementptr i32, ptr addrspace(1) %pc, i64 4
  store i32 %old, ptr addrspace(1) %p2
  br label %end
end:
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
