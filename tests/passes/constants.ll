; RUN: constants
; Loads through arguments in constant memory are of what does not change; those of the program's objects, of global memory and volatile ones are left alone.

@table = internal addrspace(2) constant [2 x i32] [i32 1, i32 2]

; CHECK-LABEL: define spir_kernel void @reads(
; CHECK: %a = load i32, ptr addrspace(2) %at, align 4, !invariant.load
; CHECK: %b = load i32, ptr addrspace(2) @table, align 4{{$}}
; CHECK: %d = load i32, ptr addrspace(1) %to, align 4{{$}}
; CHECK: %e = load volatile i32, ptr addrspace(2) %at, align 4{{$}}
; CHECK: %f = load i32, ptr addrspace(2) %one, align 4{{$}}
define spir_kernel void @reads(ptr addrspace(2) %from, ptr addrspace(1) %to, i32 %n, i1 %which) {
  %at = getelementptr i32, ptr addrspace(2) %from, i32 %n
  %a = load i32, ptr addrspace(2) %at, align 4
  %b = load i32, ptr addrspace(2) @table, align 4
  %d = load i32, ptr addrspace(1) %to, align 4
  %e = load volatile i32, ptr addrspace(2) %at, align 4
  %one = select i1 %which, ptr addrspace(2) %at, ptr addrspace(2) @table
  %f = load i32, ptr addrspace(2) %one, align 4
  store i32 %a, ptr addrspace(1) %to, align 4
  ret void
}
