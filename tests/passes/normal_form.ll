; RUN: normal_form
; Variables become values; the barrier is not duplicated into both branches.
declare void @_Z7barrierj(i32) convergent

; CHECK-LABEL: define spir_kernel void @k
; CHECK-NOT: alloca
; CHECK: call void @_Z7barrierj
; CHECK-NOT: call void @_Z7barrierj
define spir_kernel void @k(ptr addrspace(1) %o, i1 %c) {
entry:
  %x = alloca i32
  br i1 %c, label %a, label %b
a:
  store i32 1, ptr %x
  br label %join
b:
  store i32 2, ptr %x
  br label %join
join:
  call void @_Z7barrierj(i32 1) convergent
  %v = load i32, ptr %x
  store i32 %v, ptr addrspace(1) %o
  ret void
}
