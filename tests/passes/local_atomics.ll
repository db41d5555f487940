; RUN: local_atomics
; Atomics on local memory lose their lock, those on global memory keep it.

define void @k(ptr addrspace(3) %l, ptr addrspace(1) %g, i32 %x, ptr addrspace(1) %out) {
  %old = atomicrmw umax ptr addrspace(3) %l, i32 %x seq_cst, align 4
  %pair = cmpxchg ptr addrspace(3) %l, i32 %old, i32 %x seq_cst seq_cst, align 4
  %seen = extractvalue { i32, i1 } %pair, 0
  %sum = atomicrmw add ptr addrspace(1) %g, i32 %seen seq_cst, align 4
  store i32 %sum, ptr addrspace(1) %out, align 4
  ret void
}
; CHECK: [[OLD:%\w+]] = load i32, ptr addrspace(3) %l, align 4
; CHECK: [[NEW:%\w+]] = call i32 @llvm.umax.i32(i32 [[OLD]], i32 %x)
; CHECK: store i32 [[NEW]], ptr addrspace(3) %l, align 4
; CHECK: [[SEEN:%\w+]] = load i32, ptr addrspace(3) %l, align 4
; CHECK: [[SAME:%\w+]] = icmp eq i32 [[SEEN]], [[OLD]]
; CHECK: [[PUT:%\w+]] = select i1 [[SAME]], i32 %x, i32 [[SEEN]]
; CHECK: store i32 [[PUT]], ptr addrspace(3) %l, align 4
; CHECK-NOT: cmpxchg
; CHECK: atomicrmw add ptr addrspace(1) %g

; The functions of OpenCL C 1.x take pointers to volatile.
define void @volatile(ptr addrspace(3) %l) {
  %old = atomicrmw volatile add ptr addrspace(3) %l, i32 1 monotonic, align 4
  ret void
}
; CHECK: define void @volatile
; CHECK: load i32, ptr addrspace(3) %l, align 4
; CHECK-NOT: atomicrmw
; CHECK: store i32
