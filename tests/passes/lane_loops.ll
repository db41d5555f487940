; RUN: lane_loops bits=256 first
; Masked accesses without an instruction, in code that is made again: a loop over the lanes of the mask.
declare void @llvm.masked.scatter.v8i32.v8p1(<8 x i32>, <8 x ptr addrspace(1)>, <8 x i1>)
declare <8 x i16> @llvm.masked.gather.v8i16.v8p1(<8 x ptr addrspace(1)>, <8 x i1>, <8 x i16>)
declare <8 x i8> @llvm.masked.load.v8i8.p1(ptr addrspace(1), <8 x i1>, <8 x i8>)
declare void @llvm.masked.store.v16i8.p1(<16 x i8>, ptr addrspace(1), <16 x i1>)
declare <8 x i32> @llvm.masked.gather.v8i32.v8p1(<8 x ptr addrspace(1)>, <8 x i1>, <8 x i32>)
declare void @llvm.masked.scatter.v2i64.v2p1(<2 x i64>, <2 x ptr addrspace(1)>, <2 x i1>)

; From a base: indices as narrow as they are.
; CHECK-LABEL: define void @scatter(
; CHECK: [[PLACES:%\w+]] = alloca <8 x i32>
; CHECK: [[KEPT:%\w+]] = alloca <8 x i32>
; CHECK: store <8 x i32> %x, ptr [[KEPT]]
; CHECK: [[BASE:%\w+]] = getelementptr i8, ptr addrspace(1) %base, i64 6
; CHECK: store <8 x i32> %i, ptr [[PLACES]]
; CHECK: [[BITS:%\w+]] = bitcast <8 x i1> %mask to i8
; CHECK: [[FIRST:%\w+]] = zext i8 [[BITS]] to i64
; CHECK: [[SOME:%\w+]] = icmp ne i64 [[FIRST]], 0
; CHECK: br i1 [[SOME]], label %lane, label [[BEHIND:%\w+]]
; CHECK: ret void
; CHECK: lane:
; CHECK: [[LEFT:%\w+]] = phi i64 [ [[FIRST]], %lanes ], [ [[REST:%\w+]], %lane ]
; CHECK: [[LANE:%\w+]] = call i64 @llvm.cttz.i64(i64 [[LEFT]], i1 true)
; CHECK: [[OWN:%\w+]] = load i32
; CHECK: [[INDEX:%\w+]] = zext i32 [[OWN]] to i64
; CHECK: [[PLACE:%\w+]] = getelementptr i32, ptr addrspace(1) [[BASE]], i64 [[INDEX]]
; CHECK: [[FROM:%\w+]] = getelementptr i32, ptr [[KEPT]], i64 [[LANE]]
; CHECK: [[VALUE:%\w+]] = load i32, ptr [[FROM]]
; CHECK: store i32 [[VALUE]], ptr addrspace(1) [[PLACE]], align 1
; CHECK: [[REST]] = and i64 [[LEFT]], {{%\w+}}
; CHECK: [[DONE:%\w+]] = icmp eq i64 [[REST]], 0
; CHECK: br i1 [[DONE]], label [[BEHIND]], label %lane
define void @scatter(<8 x i32> %x, ptr addrspace(1) %base, <8 x i32> %i, <8 x i1> %mask) {
  %wide = zext <8 x i32> %i to <8 x i64>
  %p = getelementptr i32, ptr addrspace(1) %base, <8 x i64> %wide
  %q = getelementptr i8, <8 x ptr addrspace(1)> %p, i64 6
  call void @llvm.masked.scatter.v8i32.v8p1(<8 x i32> %x, <8 x ptr addrspace(1)> %q, <8 x i1> %mask)
  ret void
}

; Each at an address of its own; what is not loaded is what it was.
; CHECK-LABEL: define <8 x i16> @gather(
; CHECK: store <8 x i16> %other, ptr [[KEPT:%\w+]]
; CHECK: store <8 x ptr addrspace(1)> %p, ptr [[PLACES:%\w+]], align 16
; CHECK: [[ALL:%\w+]] = load <8 x i16>, ptr [[KEPT]]
; CHECK: ret <8 x i16> [[ALL]]
; CHECK: [[PLACE:%\w+]] = load ptr addrspace(1)
; CHECK: [[TO:%\w+]] = getelementptr i16, ptr [[KEPT]]
; CHECK: [[VALUE:%\w+]] = load i16, ptr addrspace(1) [[PLACE]], align 1
; CHECK: store i16 [[VALUE]], ptr [[TO]]
define <8 x i16> @gather(<8 x ptr addrspace(1)> %p, <8 x i1> %mask, <8 x i16> %other) {
  %x = call <8 x i16> @llvm.masked.gather.v8i16.v8p1(<8 x ptr addrspace(1)> %p, <8 x i1> %mask, <8 x i16> %other)
  ret <8 x i16> %x
}

; Side by side, twice in a function, from the same room on the stack. Stores of bytes are narrow_stores'.
; CHECK-LABEL: define void @beside(
; CHECK: alloca <8 x i8>
; CHECK-NOT: alloca <8 x i8>
; CHECK: call void @llvm.masked.store
; CHECK: lane:
; CHECK: getelementptr i8, ptr addrspace(1) %p
; CHECK: lane2:
define void @beside(ptr addrspace(1) %p, <8 x i1> %mask, ptr %to, <16 x i8> %v, <16 x i1> %more) {
  %x = call <8 x i8> @llvm.masked.load.v8i8.p1(ptr addrspace(1) %p, <8 x i1> %mask, <8 x i8> poison)
  %y = call <8 x i8> @llvm.masked.load.v8i8.p1(ptr addrspace(1) %p, <8 x i1> %mask, <8 x i8> zeroinitializer)
  %z = add <8 x i8> %x, %y
  store <8 x i8> %z, ptr %to
  call void @llvm.masked.store.v16i8.p1(<16 x i8> %v, ptr addrspace(1) %p, <16 x i1> %more)
  ret void
}

; What the processor has, and what is as short apart.
; CHECK-LABEL: define <8 x i32> @known(
; CHECK: call <8 x i32> @llvm.masked.gather
; CHECK: call void @llvm.masked.scatter.v2i64
define <8 x i32> @known(<8 x ptr addrspace(1)> %p, <8 x i1> %mask, <2 x i64> %v, <2 x ptr addrspace(1)> %q, <2 x i1> %m) {
  %x = call <8 x i32> @llvm.masked.gather.v8i32.v8p1(<8 x ptr addrspace(1)> %p, <8 x i1> %mask, <8 x i32> poison)
  call void @llvm.masked.scatter.v2i64.v2p1(<2 x i64> %v, <2 x ptr addrspace(1)> %q, <2 x i1> %m)
  ret <8 x i32> %x
}

; Indices that are conditions do not lie in memory as vectors of bits: numbers do.
; CHECK-LABEL: define <8 x i16> @condition(
; CHECK: alloca <8 x i64>
; CHECK: store <8 x i64> %{{\w+}}, ptr %{{\w+}}
; CHECK: lane:
; CHECK: getelementptr i64, ptr %{{\w+}}, i64 %{{\w+}}
define <8 x i16> @condition(ptr addrspace(1) %a, <8 x i1> %which, <8 x i1> %mask) {
  %i = zext <8 x i1> %which to <8 x i64>
  %p = getelementptr i16, ptr addrspace(1) %a, <8 x i64> %i
  %x = call <8 x i16> @llvm.masked.gather.v8i16.v8p1(<8 x ptr addrspace(1)> %p, <8 x i1> %mask, <8 x i16> poison)
  ret <8 x i16> %x
}
