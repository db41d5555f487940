; RUN: normal_form O0
; Without optimization variables still become values, and nothing else happens.
; CHECK-LABEL: define i32 @f
; CHECK-NEXT: add i32 2, 3
define i32 @f() {
  %x = alloca i32
  store i32 2, ptr %x
  %v = load i32, ptr %x
  %s = add i32 %v, 3
  ret i32 %s
}
