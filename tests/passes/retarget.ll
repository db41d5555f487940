; RUN: retarget
; CHECK: target datalayout = "e-m:e-
; CHECK: target triple = "x86_64-unknown-linux-gnu"
; CHECK: define void @f(ptr addrspace(1) %p)
; CHECK-NEXT: call void @g(ptr addrspace(1) %p)
; CHECK: declare void @g(ptr addrspace(1))
; CHECK-NOT: convergent
target triple = "spir64-unknown-unknown"

define spir_func void @f(ptr addrspace(1) %p) convergent {
  call spir_func void @g(ptr addrspace(1) %p) convergent
  ret void
}

declare spir_func void @g(ptr addrspace(1)) convergent
