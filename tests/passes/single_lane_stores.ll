; RUN: single_lane_stores
; One known lane: a scalar store of that lane. Two lanes stay a masked store.

declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, <4 x i1>)

define void @k(<4 x i64> %wide, ptr %p, ptr %q) {
  %value = trunc <4 x i64> %wide to <4 x i32>
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %value, ptr align 4 %p, <4 x i1> <i1 false, i1 false, i1 true, i1 false>)
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %value, ptr align 4 %q, <4 x i1> <i1 true, i1 false, i1 true, i1 false>)
  ret void
}
; CHECK: [[ONE:%\w+]] = extractelement <4 x i32> %value, i64 2
; CHECK: [[AT:%\w+]] = getelementptr i32, ptr %p, i64 2
; CHECK: store i32 [[ONE]], ptr [[AT]], align 4
; CHECK: call void @llvm.masked.store.v4i32.p0(<4 x i32> %value, ptr align 4 %q
