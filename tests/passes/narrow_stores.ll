; RUN: narrow_stores bits=256
; A masked store of bytes is one store where all lanes take part, else a store for each lane: of those that do not, to the stack.
declare void @llvm.masked.store.v4i8.p1(<4 x i8>, ptr addrspace(1), <4 x i1>)
declare void @llvm.masked.store.v8i32.p1(<8 x i32>, ptr addrspace(1), <8 x i1>)

; CHECK-LABEL: define void @bytes(
; CHECK: [[SLOT:%\w+]] = alloca i8
; CHECK: [[BITS:%\w+]] = bitcast <4 x i1> %mask to i4
; CHECK: [[ALL:%\w+]] = icmp eq i4 [[BITS]], -1
; CHECK: br i1 [[ALL]], label %whole, label %apart
; CHECK: [[SPARE:%\w+]] = addrspacecast ptr [[SLOT]] to ptr addrspace(1)
; CHECK: [[FIRST:%\w+]] = trunc i4 [[BITS]] to i1
; CHECK: [[AT:%\w+]] = select i1 [[FIRST]], ptr addrspace(1) %p, ptr addrspace(1) [[SPARE]]
; CHECK: store i8 {{%\w+}}, ptr addrspace(1) [[AT]], align 1
; CHECK: lshr i4 [[BITS]], 3
; CHECK: getelementptr i8, ptr addrspace(1) %p, i64 3
; CHECK: whole:
; CHECK: store <4 x i8> %x, ptr addrspace(1) %p, align 1
; CHECK-NOT: call
define void @bytes(<4 x i8> %x, ptr addrspace(1) %p, <4 x i1> %mask) {
  call void @llvm.masked.store.v4i8.p1(<4 x i8> %x, ptr addrspace(1) %p, <4 x i1> %mask)
  ret void
}

; The processor has these.
; CHECK-LABEL: define void @ints(
; CHECK: call void @llvm.masked.store
define void @ints(<8 x i32> %x, ptr addrspace(1) %p, <8 x i1> %mask) {
  call void @llvm.masked.store.v8i32.p1(<8 x i32> %x, ptr addrspace(1) %p, <8 x i1> %mask)
  ret void
}
