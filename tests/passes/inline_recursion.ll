; RUN: inline
; ERROR: recursion is not allowed in OpenCL C: (odd -> even -> odd|even -> odd -> even)
define i32 @even(i32 %n) {
  %m = sub i32 %n, 1
  %r = call i32 @odd(i32 %m)
  ret i32 %r
}

define i32 @odd(i32 %n) {
  %z = icmp eq i32 %n, 0
  br i1 %z, label %yes, label %no
yes:
  ret i32 1
no:
  %m = sub i32 %n, 1
  %r = call i32 @even(i32 %m)
  ret i32 %r
}

define spir_kernel void @k(ptr addrspace(1) %o) {
  %r = call i32 @even(i32 4)
  store i32 %r, ptr addrspace(1) %o
  ret void
}
