; RUN: work_items,local_memory
; Variables used by a kernel get places in its group's local memory, the most aligned first; a variable that two
; kernels use has a place in each. Constant expressions become instructions.
@small = internal addrspace(3) global [3 x i8] undef, align 1
@big = internal addrspace(3) global [4 x <4 x float>] undef, align 16
@common = internal addrspace(3) global i32 undef, align 4
@unused = internal addrspace(3) global i32 undef, align 4

; CHECK-NOT: @small
; CHECK-NOT: @unused
; CHECK-LABEL: define internal void @k.item
; CHECK: %small = getelementptr {{.*}} ptr addrspace(3) %local, i64 68
; CHECK-NEXT: %common = getelementptr {{.*}} ptr addrspace(3) %local, i64 64
; CHECK-NEXT: %big = getelementptr {{.*}} ptr addrspace(3) %local, i64 0
; CHECK: store i32 1, ptr addrspace(3) %common
; CHECK: store i8 2, ptr addrspace(3) %small
; CHECK-NEXT: [[AT:%\w+]] = getelementptr inbounds i8, ptr addrspace(3) %big, i64 20
; CHECK-NEXT: store float 3.000000e+00, ptr addrspace(3) [[AT]]
define spir_kernel void @k() {
  store i32 1, ptr addrspace(3) @common
  store i8 2, ptr addrspace(3) @small
  store float 3.0, ptr addrspace(3) getelementptr inbounds (i8, ptr addrspace(3) @big, i64 20)
  ret void
}

; CHECK-LABEL: define internal void @other.item
; CHECK: %common = getelementptr {{.*}} ptr addrspace(3) %local, i64 0
; CHECK: a:
; CHECK-NEXT: [[CAST:%\w+]] = addrspacecast ptr addrspace(3) %common to ptr addrspace(4)
; CHECK-NEXT: br label %b
; CHECK: phi ptr addrspace(4) [ [[CAST]], %a ], [ null, %entry ]
define spir_kernel void @other(i1 %c) {
entry:
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %p = phi ptr addrspace(4) [ addrspacecast (ptr addrspace(3) @common to ptr addrspace(4)), %a ], [ null, %entry ]
  store i32 5, ptr addrspace(4) %p
  ret void
}

; CHECK: "clpy-local-bytes"="71"
; CHECK: "clpy-local-bytes"="4"
