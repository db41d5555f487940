; RUN: masked_loads
; A select of a masked load behind a write keeps its load before the write; where nothing writes, it may be one load.

declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, <4 x i1>, <4 x i32>)
declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, <4 x i1>)

define <4 x i32> @swapped(ptr %p, <4 x i32> %mine, <4 x i1> %mask) {
  %theirs = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 4 %p, <4 x i1> %mask, <4 x i32> poison)
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %mine, ptr align 4 %p, <4 x i1> %mask)
  %now = select <4 x i1> %mask, <4 x i32> %theirs, <4 x i32> %mine
  ret <4 x i32> %now
}
; CHECK-LABEL: @swapped
; CHECK: [[KEPT:%\w+]] = freeze <4 x i32> %theirs
; CHECK: call void @llvm.masked.store
; CHECK: select <4 x i1> %mask, <4 x i32> [[KEPT]], <4 x i32> %mine

define <4 x i32> @read(ptr %p, <4 x i32> %mine, <4 x i1> %mask) {
  %theirs = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 4 %p, <4 x i1> %mask, <4 x i32> poison)
  %now = select <4 x i1> %mask, <4 x i32> %theirs, <4 x i32> %mine
  store <4 x i32> %mine, ptr %p
  ret <4 x i32> %now
}
; CHECK-LABEL: @read
; CHECK: select <4 x i1> %mask, <4 x i32> %theirs, <4 x i32> %mine
