; RUN: narrow_gathers bits=512
; With AVX-512 there are gathers and scatters of words, and none of bytes.
declare <16 x i8> @llvm.masked.gather.v16i8.v16p1(<16 x ptr addrspace(1)>, <16 x i1>, <16 x i8>)
declare <16 x i32> @llvm.masked.gather.v16i32.v16p1(<16 x ptr addrspace(1)>, <16 x i1>, <16 x i32>)
declare void @llvm.masked.scatter.v16i32.v16p1(<16 x i32>, <16 x ptr addrspace(1)>, <16 x i1>)

; CHECK-LABEL: define <16 x i8> @words(
; CHECK: call <16 x i32> @llvm.masked.gather
; CHECK: call void @llvm.masked.scatter
; CHECK-NOT: llvm.masked.gather
; CHECK: ret <16 x i8>
define <16 x i8> @words(ptr addrspace(1) %base, <16 x i32> %i) {
  %p = getelementptr i32, ptr addrspace(1) %base, <16 x i32> %i
  %x = call <16 x i32> @llvm.masked.gather.v16i32.v16p1(<16 x ptr addrspace(1)> %p, <16 x i1> splat (i1 true), <16 x i32> poison)
  call void @llvm.masked.scatter.v16i32.v16p1(<16 x i32> %x, <16 x ptr addrspace(1)> %p, <16 x i1> splat (i1 true))
  %y = call <16 x i8> @llvm.masked.gather.v16i8.v16p1(<16 x ptr addrspace(1)> %p, <16 x i1> splat (i1 true), <16 x i8> poison)
  ret <16 x i8> %y
}
