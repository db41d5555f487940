; RUN: narrow_loads bits=256
; A masked load of bytes reads all of the vector where it lies on one page and some lane reads; else it is what it was.
declare <8 x i8> @llvm.masked.load.v8i8.p1(ptr addrspace(1), <8 x i1>, <8 x i8>)
declare <8 x i16> @llvm.masked.load.v8i16.p1(ptr addrspace(1), <8 x i1>, <8 x i16>)
declare <8 x i32> @llvm.masked.load.v8i32.p1(ptr addrspace(1), <8 x i1>, <8 x i32>)

; CHECK-LABEL: define <8 x i8> @bytes(
; CHECK: [[INT:%\w+]] = ptrtoint ptr addrspace(1) %p to i64
; CHECK: [[PLACE:%\w+]] = and i64 [[INT]], 4095
; CHECK: [[FITS:%\w+]] = icmp ule i64 [[PLACE]], 4088
; CHECK: [[ANY:%\w+]] = icmp ne i8 {{%\w+}}, 0
; CHECK: [[NEAR:%\w+]] = and i1 [[FITS]], [[ANY]]
; CHECK: br i1 [[NEAR]], label %near, label %apart
; CHECK: apart:
; CHECK: [[SOME:%\w+]] = call <8 x i8> @llvm.masked.load
; CHECK: [[EITHER:%\w+]] = phi <8 x i8> [ [[SOME]], %apart ], [ [[WHOLE:%\w+]], %near ]
; CHECK: ret <8 x i8> [[EITHER]]
; CHECK: near:
; CHECK: [[WHOLE]] = load <8 x i8>, ptr addrspace(1) %p, align 1
; CHECK-NOT: select
define <8 x i8> @bytes(ptr addrspace(1) %p, <8 x i1> %mask) {
  %x = call <8 x i8> @llvm.masked.load.v8i8.p1(ptr addrspace(1) %p, <8 x i1> %mask, <8 x i8> poison)
  ret <8 x i8> %x
}

; What other lanes have is kept.
; CHECK-LABEL: define <8 x i16> @shorts(
; CHECK: icmp ule i64 {{%\w+}}, 4080
; CHECK: load <8 x i16>, ptr addrspace(1) %p, align 1
; CHECK: select <8 x i1> %mask, <8 x i16> {{%\w+}}, <8 x i16> %other
define <8 x i16> @shorts(ptr addrspace(1) %p, <8 x i1> %mask, <8 x i16> %other) {
  %x = call <8 x i16> @llvm.masked.load.v8i16.p1(ptr addrspace(1) %p, <8 x i1> %mask, <8 x i16> %other)
  ret <8 x i16> %x
}

; The processor has these.
; CHECK-LABEL: define <8 x i32> @ints(
; CHECK-NOT: br
; CHECK: ret
define <8 x i32> @ints(ptr addrspace(1) %p, <8 x i1> %mask) {
  %x = call <8 x i32> @llvm.masked.load.v8i32.p1(ptr addrspace(1) %p, <8 x i1> %mask, <8 x i32> poison)
  ret <8 x i32> %x
}
