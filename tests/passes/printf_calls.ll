; RUN: printf_calls
; An int, a vector of 3 floats (12 bytes, padded to 16) and a pointer, each behind its header.
@fmt = private unnamed_addr addrspace(2) constant [4 x i8] c"%d\0A\00"

declare i32 @printf(ptr addrspace(2), ...)

; CHECK-LABEL: define i32 @many
; CHECK: %printf.args = alloca [80 x i8], align 16
; CHECK: store i32 0, ptr
; CHECK: store i32 4, ptr
; CHECK: store i32 1, ptr
; CHECK: store i32 0, ptr
; CHECK: store i32 %i, ptr
; CHECK: store i32 1, ptr
; CHECK: store i32 4, ptr
; CHECK: store i32 3, ptr
; CHECK: store <3 x float> %v, ptr
; CHECK: store i32 2, ptr
; CHECK: store i32 8, ptr
; CHECK: store ptr addrspace(1) %p, ptr

; CHECK: call void @__clpy_printf(ptr {{.*}}, ptr %printf.args, i64 80)
; CHECK-NEXT: ret i32 0
define i32 @many(i32 %i, <3 x float> %v, ptr addrspace(1) %p) {
  %r = call i32 (ptr addrspace(2), ...) @printf(ptr addrspace(2) @fmt, i32 %i, <3 x float> %v, ptr addrspace(1) %p)
  ret i32 %r
}

; CHECK-LABEL: define void @none
; CHECK: call void @__clpy_printf({{.*}}, i64 0)
define void @none() {
  %r = call i32 (ptr addrspace(2), ...) @printf(ptr addrspace(2) @fmt)
  ret void
}
