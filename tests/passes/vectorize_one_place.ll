; RUN: vectorize width=4
; All lanes store to one place: the last one that takes part, and without a mask the last lane.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.all4(
; CHECK: [[LAST:%\w+]] = extractelement <4 x i32> {{%\w+}}, i64 3
; CHECK: store i32 [[LAST]], ptr addrspace(1) %c
; CHECK-LABEL: define internal void @k.region.0.some4(
; CHECK-NOT: store <4 x i32>
; CHECK: br i1
; Of no lane the number is anything; it may not be taken for one of the lanes in front of the branch.
; CHECK: call i4 @llvm.ctlz.i4(
; CHECK: [[NUMBER:%\w+]] = freeze i64
; CHECK: [[ONE:%\w+]] = extractelement <4 x i32> {{%\w+}}, i64 [[NUMBER]]
; CHECK: store i32 [[ONE]], ptr addrspace(1) %c
; CHECK: ret void
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %lid.0
  %x = load i32, ptr addrspace(1) %pa
  store i32 %x, ptr addrspace(1) %c
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
