; RUN: vectorize width=4
; The shape of an address decides: one scalar, a vector, a vector backwards, a gather. The tail is masked.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.all4(
; CHECK: load i32, ptr addrspace(1) %a
; CHECK: load <4 x i32>, ptr addrspace(1)
; CHECK: [[BACK:%\w+]] = load <4 x i32>, ptr addrspace(1)
; CHECK: shufflevector <4 x i32> [[BACK]], {{.*}} <4 x i32> <i32 3, i32 2, i32 1, i32 0>
; CHECK: call <4 x i32> @llvm.masked.gather.v4i32.v4p1({{.*}}, <4 x i1> splat (i1 true)
; CHECK: store <4 x i32>
; CHECK-LABEL: define internal void @k.region.0.some4(
; CHECK: load i32, ptr addrspace(1) %a
; CHECK: @llvm.masked.load.v4i32.p1({{.*}}, <4 x i1> %active
; CHECK: @llvm.masked.load.v4i32.p1(
; CHECK: @llvm.masked.gather.v4i32.v4p1({{.*}}, <4 x i1> %active
; CHECK: @llvm.masked.store.v4i32.p1({{.*}}, <4 x i1> %active
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %uniform = load i32, ptr addrspace(1) %a
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %lid.0
  %near = load i32, ptr addrspace(1) %pa
  %down = sub i64 100, %lid.0
  %pd = getelementptr i32, ptr addrspace(1) %a, i64 %down
  %back = load i32, ptr addrspace(1) %pd
  %index = zext i32 %near to i64
  %pi = getelementptr i32, ptr addrspace(1) %a, i64 %index
  %far = load i32, ptr addrspace(1) %pi
  %1 = add i32 %uniform, %near
  %2 = add i32 %1, %back
  %3 = add i32 %2, %far
  %pc = getelementptr i32, ptr addrspace(1) %c, i64 %lid.0
  store i32 %3, ptr addrspace(1) %pc
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
