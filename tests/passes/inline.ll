; RUN: inline
; Everything a kernel calls becomes part of it, whatever its attributes say.
declare void @_Z7barrierj(i32) convergent

; CHECK-NOT: @with_barrier
; CHECK-LABEL: define spir_kernel void @k
; CHECK: call void @_Z7barrierj
; CHECK: call void @_Z7barrierj
; CHECK-NEXT: ret void
define void @with_barrier() noinline optnone {
  call void @_Z7barrierj(i32 1)
  ret void
}

define spir_kernel void @k(ptr addrspace(1) %o) noinline optnone {
  store i32 1, ptr addrspace(1) %o
  call void @with_barrier()
  call void @with_barrier()
  ret void
}
