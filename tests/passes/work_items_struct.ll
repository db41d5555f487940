; RUN: work_items
; A struct argument that the kernel writes is copied per work-item; one that it only reads is not; neither is one whose
; loads rely on no more alignment than the argument block has.
%S = type { i32, [3 x i32] }
%Wide = type { <8 x double> }

; CHECK-LABEL: define internal void @writes.item
; CHECK: %s.copy = alloca %S, align 4
; CHECK-NEXT: call void @llvm.memcpy.{{.*}}(ptr align 4 %s.copy, ptr align 4 %s, i64 16
; CHECK: store i32 7, ptr %s.copy
define spir_kernel void @writes(ptr byval(%S) align 4 %s) {
  store i32 7, ptr %s
  ret void
}

; CHECK-LABEL: define internal void @reads.item(ptr noalias readonly align 4 %s
; CHECK-NOT: alloca
; CHECK: load i32, ptr %p
define spir_kernel void @reads(ptr byval(%S) align 4 %s, ptr addrspace(1) %o) {
  %p = getelementptr inbounds %S, ptr %s, i32 0, i32 1
  %v = load i32, ptr %p
  store i32 %v, ptr addrspace(1) %o
  ret void
}

; CHECK-LABEL: define internal void @aligned.item
; CHECK: %s.copy = alloca %Wide, align 64
; CHECK-NEXT: call void @llvm.memcpy.{{.*}}(ptr align 64 %s.copy, ptr align 16 %s, i64 64
define spir_kernel void @aligned(ptr byval(%Wide) align 64 %s, ptr addrspace(1) %o) {
  %v = load <8 x double>, ptr %s, align 64
  store <8 x double> %v, ptr addrspace(1) %o, align 8
  ret void
}
