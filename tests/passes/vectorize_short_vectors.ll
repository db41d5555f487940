; RUN: vectorize width=16
; A vector of four bytes from each lane's own place is one gather of words, and one scatter where it goes; of four from
; places that are held inside bounds, one load where these turn out to be neighbours.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1
declare i64 @llvm.smin.i64(i64, i64)

; CHECK-LABEL: define internal void @k.region.0.all16(
; CHECK: @llvm.masked.gather.v16i32.v16p1(
; CHECK-NOT: gather
; CHECK: load <64 x i8>
; CHECK: @llvm.masked.gather.v16i32.v16p1(
; CHECK-NOT: gather
; CHECK: add <64 x i8>
; CHECK-NOT: <16 x i8>
; CHECK: @llvm.masked.scatter.v16i32.v16p1(
; CHECK-NOT: scatter
; CHECK: ret void
; CHECK-LABEL: define internal void @k.region.0.some16(
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, ptr addrspace(1) %o, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %lid.0
  %at = load i32, ptr addrspace(1) %pa
  %place = sext i32 %at to i64
  %p = getelementptr <4 x i8>, ptr addrspace(1) %c, i64 %place
  %v = load <4 x i8>, ptr addrspace(1) %p
  %held = call i64 @llvm.smin.i64(i64 %lid.0, i64 99)
  %q = getelementptr <4 x i8>, ptr addrspace(1) %c, i64 %held
  %w = load <4 x i8>, ptr addrspace(1) %q
  %sum = add <4 x i8> %v, %w
  %r = getelementptr <4 x i8>, ptr addrspace(1) %o, i64 %place
  store <4 x i8> %sum, ptr addrspace(1) %r
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
