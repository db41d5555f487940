; RUN: restrict
; A restricted pointer of a kernel that waits for others is so between barriers only; without barriers nothing changes.

; CHECK-LABEL: define spir_kernel void @waits(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c)
; CHECK: load i32
define spir_kernel void @waits(ptr addrspace(1) noalias %a, ptr addrspace(1) %b, ptr addrspace(1) noalias %c) {
  %x = load i32, ptr addrspace(1) %a
  call void @_Z7barrierj(i32 2)
  store i32 %x, ptr addrspace(1) %c
  ret void
}

; CHECK-LABEL: define spir_kernel void @counts(ptr addrspace(1) %a, ptr addrspace(1) %b)
define spir_kernel void @counts(ptr addrspace(1) noalias %a, ptr addrspace(1) %b) {
  %x = atomicrmw add ptr addrspace(1) %b, i32 1 monotonic
  store i32 %x, ptr addrspace(1) %a
  ret void
}

; CHECK-LABEL: define spir_kernel void @alone(ptr addrspace(1) noalias %a, ptr addrspace(1) %b)
define spir_kernel void @alone(ptr addrspace(1) noalias %a, ptr addrspace(1) %b) {
  %id = call i64 @_Z13get_global_idj(i32 0)
  store i64 %id, ptr addrspace(1) %a
  ret void
}

; CHECK: "clpy-distinct"="0,2"
; CHECK: "clpy-distinct"="0"
declare void @_Z7barrierj(i32)
declare i64 @_Z13get_global_idj(i32)
