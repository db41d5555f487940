; RUN: division
; Divisors that may be 0, or -1 for signed division, are replaced by 1; known good ones are left alone.

; CHECK-LABEL: define i32 @signed
; CHECK: [[D:%\w+]] = freeze i32 %d
; CHECK-NEXT: [[ZERO:%\w+]] = icmp eq i32 [[D]], 0
; CHECK-NEXT: [[N:%\w+]] = freeze i32 %n
; CHECK-NEXT: [[MINUS:%\w+]] = icmp eq i32 [[D]], -1
; CHECK-NEXT: [[LOWEST:%\w+]] = icmp eq i32 [[N]], -2147483648
; CHECK-NEXT: [[OVER:%\w+]] = and i1 [[MINUS]], [[LOWEST]]
; CHECK-NEXT: [[BAD:%\w+]] = or i1 [[ZERO]], [[OVER]]
; CHECK-NEXT: [[SAFE:%\w+]] = select i1 [[BAD]], i32 1, i32 [[D]]
; CHECK-NEXT: sdiv i32 [[N]], [[SAFE]]
define i32 @signed(i32 %n, i32 %d) {
  %q = sdiv i32 %n, %d
  ret i32 %q
}

; CHECK-LABEL: define i64 @unsigned
; CHECK: [[D:%\w+]] = freeze i64 %d
; CHECK-NEXT: [[ZERO:%\w+]] = icmp eq i64 [[D]], 0
; CHECK-NEXT: [[SAFE:%\w+]] = select i1 [[ZERO]], i64 1, i64 [[D]]
; CHECK-NEXT: urem i64 %n, [[SAFE]]
define i64 @unsigned(i64 %n, i64 %d) {
  %r = urem i64 %n, %d
  ret i64 %r
}

; CHECK-LABEL: define i32 @known_good
; CHECK-NOT: select
; CHECK: sdiv i32 %n, 7
; CHECK-NEXT: udiv i32 %q, -1
define i32 @known_good(i32 %n) {
  %q = sdiv i32 %n, 7
  %r = udiv i32 %q, -1
  ret i32 %r
}

; CHECK-LABEL: define i32 @minus_one
; CHECK: select
; CHECK: srem
define i32 @minus_one(i32 %n) {
  %r = srem i32 %n, -1
  ret i32 %r
}

; One element of the divisor is 0.
; CHECK-LABEL: define <2 x i16> @vector
; CHECK: select <2 x i1> {{.*}}, <2 x i16> splat (i16 1)
; CHECK: udiv <2 x i16>
define <2 x i16> @vector(<2 x i16> %n) {
  %q = udiv <2 x i16> %n, <i16 3, i16 0>
  ret <2 x i16> %q
}

; CHECK-LABEL: define <4 x i32> @good_vector
; CHECK-NOT: select
; CHECK: ret
define <4 x i32> @good_vector(<4 x i32> %n) {
  %q = sdiv <4 x i32> %n, <i32 3, i32 5, i32 -2, i32 8>
  ret <4 x i32> %q
}

; An id is never undefined, so that LLVM drops the freeze: behind one nobody would know that it counts from lane to lane.
; CHECK: declare noundef i64 @_Z13get_global_idj(i32)
declare i64 @_Z13get_global_idj(i32)

define i32 @of_id(i32 noundef %d) {
  %id = call i64 @_Z13get_global_idj(i32 0)
  %x = trunc i64 %id to i32
  %q = srem i32 %x, %d
  ret i32 %q
}
