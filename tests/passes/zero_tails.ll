; RUN: zero_tails
; A large constant that ends in zeros is memory by a name that says how much, and a section of that name has what it
; begins with. What is small, may be written, or begins with addresses stays.

@large = internal constant <{ i32, [2 x i8], [4 x i8], [1048576 x i8] }> <{ i32 7, [2 x i8] c"ab", [4 x i8] zeroinitializer, [1048576 x i8] zeroinitializer }>, align 4
@nothing = internal constant [262144 x i32] zeroinitializer, align 4
@small = internal constant <{ i32, [65536 x i8] }> <{ i32 7, [65536 x i8] zeroinitializer }>, align 4
@written = internal global <{ i32, [1048576 x i8] }> <{ i32 7, [1048576 x i8] zeroinitializer }>, align 4
@places = internal constant <{ ptr, [1048576 x i8] }> <{ ptr @small, [1048576 x i8] zeroinitializer }>, align 8

define void @k(ptr %o, i64 %i) {
  %a = getelementptr i8, ptr @large, i64 %i
  store ptr %a, ptr %o
  store ptr @nothing, ptr %o
  store ptr @small, ptr %o
  store ptr @written, ptr %o
  store ptr @places, ptr %o
  ret void
}
; CHECK: @small = internal constant
; CHECK: @written = internal global
; CHECK: @places = internal constant
; CHECK: @__clpy_zeros.1048586.[[LARGE:[0-9a-f]+]] = external global <{ i32, [2 x i8], [4 x i8], [1048576 x i8] }>, align 4
; CHECK: @large.head = internal global <{ i32, [2 x i8], [4 x i8] }> <{ i32 7, [2 x i8] c"ab", [4 x i8] zeroinitializer }>, section ".clpy.head.1048586.[[LARGE]]"
; CHECK: @__clpy_zeros.1048576.[[NOTHING:[0-9a-f]+]] = external global [262144 x i32], align 4
; CHECK: getelementptr i8, ptr @__clpy_zeros.1048586.[[LARGE]], i64 %i
; CHECK: store ptr @__clpy_zeros.1048576.[[NOTHING]], ptr %o
