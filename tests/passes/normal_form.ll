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

; An atomic operation whose generic pointer is seen to lead to local or global memory has a pointer to that; where it is
; not seen, it stays.
; CHECK-LABEL: define spir_kernel void @spaces
; CHECK: [[L:%\w+]] = addrspacecast ptr addrspace(4) {{.*}} to ptr addrspace(3)
; CHECK: atomicrmw volatile add ptr addrspace(3) [[L]], i32 1 monotonic
; CHECK: [[G:%\w+]] = addrspacecast ptr addrspace(4) {{.*}} to ptr addrspace(1)
; CHECK: cmpxchg ptr addrspace(1) [[G]], i32 1, i32 2
; CHECK: atomicrmw add ptr addrspace(4) {{.*}}, i32 1 monotonic
define spir_kernel void @spaces(ptr addrspace(3) %l, ptr addrspace(1) %g, i64 %i, i1 %c) {
  %lg = addrspacecast ptr addrspace(3) %l to ptr addrspace(4)
  %pl = getelementptr i32, ptr addrspace(4) %lg, i64 %i
  %a = atomicrmw volatile add ptr addrspace(4) %pl, i32 1 monotonic
  %gg = addrspacecast ptr addrspace(1) %g to ptr addrspace(4)
  %pg = getelementptr i32, ptr addrspace(4) %gg, i64 %i
  %b = cmpxchg ptr addrspace(4) %pg, i32 1, i32 2 monotonic monotonic
  %either = select i1 %c, ptr addrspace(4) %pl, ptr addrspace(4) %pg
  %d = atomicrmw add ptr addrspace(4) %either, i32 1 monotonic
  ret void
}
