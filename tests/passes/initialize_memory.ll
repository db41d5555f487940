; SPDX-License-Identifier: Apache-2.0
; Private variables are cleared behind the allocas of a function, one of unknown length too; lifetimes, which would undo
; that, go. Local variables begin as zero, so that a load of one that is never stored is defined.
; RUN: initialize_memory initialize=3

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

; CHECK: @k.shared = internal addrspace(3) global [16 x i32] zeroinitializer
@k.shared = internal addrspace(3) global [16 x i32] undef, align 4

define spir_kernel void @k(ptr addrspace(1) %out, i32 %n) {
; CHECK-LABEL: @k(
; CHECK: %a = alloca [100 x i32]
; CHECK-NEXT: %b = alloca i32
; CHECK-NEXT: call void @llvm.memset.p0.i64(ptr %b, i8 0, i64 4, i1 false)
; CHECK-NEXT: call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 400, i1 false)
; CHECK-NOT: lifetime
entry:
  %a = alloca [100 x i32], align 4
  %b = alloca i32, align 4
  call void @llvm.lifetime.start.p0(ptr %a)
  %v = load i32, ptr %b, align 4
  store i32 %v, ptr addrspace(1) %out, align 4
  call void @llvm.lifetime.end.p0(ptr %a)
; CHECK: %late = alloca i64, i32 %n
; CHECK: mul i64 {{.*}}, 8
; CHECK: call void @llvm.memset
  %late = alloca i64, i32 %n, align 8
  %w = load i64, ptr %late, align 8
  store i64 %w, ptr addrspace(1) %out, align 8
  ret void
}
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
