; RUN: narrow_gathers bits=256
; Gathers and scatters that no processor has, or LLVM takes apart, from one base: loads and stores, whose indices leave their vector 64 bits at a time, as narrow as they are.
declare <8 x i8> @llvm.masked.gather.v8i8.v8p1(<8 x ptr addrspace(1)>, <8 x i1>, <8 x i8>)
declare <4 x i16> @llvm.masked.gather.v4i16.v4p1(<4 x ptr addrspace(1)>, <4 x i1>, <4 x i16>)
declare <8 x i32> @llvm.masked.gather.v8i32.v8p1(<8 x ptr addrspace(1)>, <8 x i1>, <8 x i32>)
declare void @llvm.masked.scatter.v8i32.v8p1(<8 x i32>, <8 x ptr addrspace(1)>, <8 x i1>)

; CHECK-LABEL: define <8 x i8> @by_bytes(
; CHECK: [[WORDS:%\w+]] = bitcast <8 x i8> %i to <1 x i64>
; CHECK: [[WORD:%\w+]] = extractelement <1 x i64> [[WORDS]], i64 0
; CHECK: trunc i64 [[WORD]] to i8
; CHECK: [[FIRST:%\w+]] = zext i8 {{%\w+}} to i64
; CHECK: getelementptr i8, ptr addrspace(1) %base, i64 [[FIRST]]
; CHECK: load i8, ptr addrspace(1) {{%\w+}}, align 1
; CHECK: lshr i64 [[WORD]], 8
; CHECK: [[LAST:%\w+]] = lshr i64 [[WORD]], 56
; CHECK: getelementptr i8, ptr addrspace(1) %base, i64 [[LAST]]
; CHECK-NOT: llvm.masked.gather
; CHECK: ret <8 x i8>
define <8 x i8> @by_bytes(ptr addrspace(1) %base, <8 x i8> %i) {
  %wide = zext <8 x i8> %i to <8 x i64>
  %p = getelementptr i8, ptr addrspace(1) %base, <8 x i64> %wide
  %x = call <8 x i8> @llvm.masked.gather.v8i8.v8p1(<8 x ptr addrspace(1)> %p, <8 x i1> splat (i1 true), <8 x i8> poison)
  ret <8 x i8> %x
}

; Indices with a sign, and a step behind them.
; CHECK-LABEL: define <4 x i16> @by_ints(
; CHECK: getelementptr i8, ptr addrspace(1) %base, i64 6
; CHECK: [[TWO:%\w+]] = extractelement <2 x i64> {{%\w+}}, i64 0
; CHECK: sext i32 {{%\w+}} to i64
; CHECK: load i16
; CHECK: ashr i64 [[TWO]], 32
; CHECK: extractelement <2 x i64> {{%\w+}}, i64 1
; CHECK-NOT: llvm.masked.gather
; CHECK: ret <4 x i16>
define <4 x i16> @by_ints(ptr addrspace(1) %base, <4 x i32> %i) {
  %p = getelementptr i16, ptr addrspace(1) %base, <4 x i32> %i
  %q = getelementptr i8, <4 x ptr addrspace(1)> %p, i64 6
  %x = call <4 x i16> @llvm.masked.gather.v4i16.v4p1(<4 x ptr addrspace(1)> %q, <4 x i1> splat (i1 true), <4 x i16> poison)
  ret <4 x i16> %x
}

; Before AVX-512 there are no scatters, and gathers of most processors are slow.
; CHECK-LABEL: define void @ints(
; CHECK: load i32, ptr addrspace(1) {{%\w+}}, align 1
; CHECK: store i32 {{%\w+}}, ptr addrspace(1) {{%\w+}}, align 1
; CHECK-NOT: call
; CHECK: ret void
define void @ints(ptr addrspace(1) %base, <8 x i32> %i) {
  %p = getelementptr i32, ptr addrspace(1) %base, <8 x i32> %i
  %x = call <8 x i32> @llvm.masked.gather.v8i32.v8p1(<8 x ptr addrspace(1)> %p, <8 x i1> splat (i1 true), <8 x i32> poison)
  call void @llvm.masked.scatter.v8i32.v8p1(<8 x i32> %x, <8 x ptr addrspace(1)> %p, <8 x i1> splat (i1 true))
  ret void
}

; Under a mask: when all lanes are in it, which is asked.
; CHECK-LABEL: define <8 x i8> @some(
; CHECK: [[BITS:%\w+]] = bitcast <8 x i1> %mask to i8
; CHECK: [[ALL:%\w+]] = icmp eq i8 [[BITS]], -1
; CHECK: br i1 [[ALL]], label %every, label %some
; CHECK: [[SOME:%\w+]] = call <8 x i8> @llvm.masked.gather
; CHECK: phi <8 x i8> [ [[SOME]], %some ]
; CHECK: every:
; CHECK: load i8
; CHECK-NOT: call
; CHECK: }
define <8 x i8> @some(ptr addrspace(1) %base, <8 x i32> %i, <8 x i1> %mask) {
  %p = getelementptr i8, ptr addrspace(1) %base, <8 x i32> %i
  %y = call <8 x i8> @llvm.masked.gather.v8i8.v8p1(<8 x ptr addrspace(1)> %p, <8 x i1> %mask, <8 x i8> zeroinitializer)
  ret <8 x i8> %y
}

; What has no base in common stays.
; CHECK-LABEL: define <8 x i8> @others(
; CHECK: call <8 x i8> @llvm.masked.gather
; CHECK: ret
define <8 x i8> @others(<8 x i1> %mask, <8 x ptr addrspace(1)> %q) {
  %z = call <8 x i8> @llvm.masked.gather.v8i8.v8p1(<8 x ptr addrspace(1)> %q, <8 x i1> %mask, <8 x i8> poison)
  ret <8 x i8> %z
}
