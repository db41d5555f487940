; RUN: vectorize width=16
; Vectors in the source that go to each lane's own place: of 16 bytes a store each, of 8 and under a mask scatters of 8 bytes.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.all16(
; CHECK-NOT: @llvm.masked.scatter.v16i64.v16p1(
; CHECK: store <4 x float>
; CHECK: store <4 x float>
; CHECK: bitcast <32 x i32> %{{.+}} to <16 x i64>
; CHECK: @llvm.masked.scatter.v16i64.v16p1(
; CHECK-LABEL: define internal void @k.region.0.some16(
; CHECK: @llvm.masked.scatter.v16i64.v16p1(
; CHECK: @llvm.masked.scatter.v16i64.v16p1(
; CHECK: @llvm.masked.scatter.v16i64.v16p1(
; CHECK-NOT: scatter
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %lid.0
  %at = load i32, ptr addrspace(1) %pa
  %place = sext i32 %at to i64
  %x = sitofp i32 %at to float
  %x2 = fmul float %x, %x
  %v = insertelement <4 x float> zeroinitializer, float %x, i64 1
  %w = insertelement <4 x float> %v, float %x2, i64 2
  %p = getelementptr <4 x float>, ptr addrspace(1) %c, i64 %place
  store <4 x float> %w, ptr addrspace(1) %p
  %i = insertelement <2 x i32> zeroinitializer, i32 %at, i64 0
  %q = getelementptr <2 x i32>, ptr addrspace(1) %a, i64 %place
  store <2 x i32> %i, ptr addrspace(1) %q
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
