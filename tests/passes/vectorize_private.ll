; RUN: vectorize width=4
; Elements of a private array lie side by side across the lanes: a uniform index is one vector.
declare void @k.region.0.foreach(ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.all4(
; CHECK: alloca [4 x [8 x i16]]
; CHECK: store <4 x i16>
; CHECK: load <4 x i16>
; CHECK: call <4 x i16> @llvm.masked.gather.v4i16.v4p0(
; CHECK-NOT: scatter
; CHECK-LABEL: define internal void @k.region.0.some4(
define internal void @k.region.0(ptr addrspace(1) %c, i64 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %t = alloca [8 x i16], align 2
  %first = trunc i64 %lid.0 to i16
  store i16 %first, ptr %t, align 2
  %index = and i64 %n, 7
  %pn = getelementptr i16, ptr %t, i64 %index
  store i16 3, ptr %pn, align 2
  %near = load i16, ptr %t, align 2
  %own = and i64 %lid.0, 7
  %po = getelementptr i16, ptr %t, i64 %own
  %far = load i16, ptr %po, align 2
  %sum = add i16 %near, %far
  %pc = getelementptr i16, ptr addrspace(1) %c, i64 %lid.0
  store i16 %sum, ptr addrspace(1) %pc, align 2
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
