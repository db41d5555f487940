; RUN: vectorize width=0 bits=256
; A chain in each turn of a loop that takes longer than a processor looks ahead: two vectors at a time, though not all that they hold fits registers. Where the turns' operations do not wait for each other, one.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1
declare void @l.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #3
declare float @llvm.fmuladd.f32(float, float, float)

; CHECK-LABEL: define internal void @k.region.0.all16(
; CHECK: phi <16 x float>
define internal void @k.region.0(ptr addrspace(1) %o, ptr addrspace(1) %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %p0 = getelementptr [7 x float], ptr addrspace(1) %o, i64 0, i64 0
  %q0 = getelementptr float, ptr addrspace(1) %p0, i64 %lid.0
  %a0 = load float, ptr addrspace(1) %q0, align 4
  %p1 = getelementptr [7 x float], ptr addrspace(1) %o, i64 1, i64 0
  %q1 = getelementptr float, ptr addrspace(1) %p1, i64 %lid.0
  %a1 = load float, ptr addrspace(1) %q1, align 4
  %p2 = getelementptr [7 x float], ptr addrspace(1) %o, i64 2, i64 0
  %q2 = getelementptr float, ptr addrspace(1) %p2, i64 %lid.0
  %a2 = load float, ptr addrspace(1) %q2, align 4
  %p3 = getelementptr [7 x float], ptr addrspace(1) %o, i64 3, i64 0
  %q3 = getelementptr float, ptr addrspace(1) %p3, i64 %lid.0
  %a3 = load float, ptr addrspace(1) %q3, align 4
  %p4 = getelementptr [7 x float], ptr addrspace(1) %o, i64 4, i64 0
  %q4 = getelementptr float, ptr addrspace(1) %p4, i64 %lid.0
  %a4 = load float, ptr addrspace(1) %q4, align 4
  %p5 = getelementptr [7 x float], ptr addrspace(1) %o, i64 5, i64 0
  %q5 = getelementptr float, ptr addrspace(1) %p5, i64 %lid.0
  %a5 = load float, ptr addrspace(1) %q5, align 4
  %p6 = getelementptr [7 x float], ptr addrspace(1) %o, i64 6, i64 0
  %q6 = getelementptr float, ptr addrspace(1) %p6, i64 %lid.0
  %a6 = load float, ptr addrspace(1) %q6, align 4
  br label %head
head:
  %k = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %more, %body ]
  %on = icmp slt i32 %k, %n
  br i1 %on, label %body, label %end
body:
  %wide = zext i32 %k to i64
  %at = getelementptr float, ptr addrspace(1) %c, i64 %wide
  %u = load float, ptr addrspace(1) %at, align 4
  %z0 = call float @llvm.fmuladd.f32(float %u, float %a0, float %u)
  %z1 = call float @llvm.fmuladd.f32(float %z0, float %a1, float %u)
  %z2 = call float @llvm.fmuladd.f32(float %z1, float %a2, float %u)
  %z3 = call float @llvm.fmuladd.f32(float %z2, float %a3, float %u)
  %z4 = call float @llvm.fmuladd.f32(float %z3, float %a4, float %u)
  %z5 = call float @llvm.fmuladd.f32(float %z4, float %a5, float %u)
  %z6 = call float @llvm.fmuladd.f32(float %z5, float %a6, float %u)
  %z7 = call float @llvm.fmuladd.f32(float %z6, float %a0, float %u)
  %z8 = call float @llvm.fmuladd.f32(float %z7, float %a1, float %u)
  %z9 = call float @llvm.fmuladd.f32(float %z8, float %a2, float %u)
  %z10 = call float @llvm.fmuladd.f32(float %z9, float %a3, float %u)
  %z11 = call float @llvm.fmuladd.f32(float %z10, float %a4, float %u)
  %z12 = call float @llvm.fmuladd.f32(float %z11, float %a5, float %u)
  %z13 = call float @llvm.fmuladd.f32(float %z12, float %a6, float %u)
  %z14 = call float @llvm.fmuladd.f32(float %z13, float %a0, float %u)
  %z15 = call float @llvm.fmuladd.f32(float %z14, float %a1, float %u)
  %z16 = call float @llvm.fmuladd.f32(float %z15, float %a2, float %u)
  %more = fadd float %sum, %z16
  %next = add nuw nsw i32 %k, 1
  br label %head
end:
  store float %sum, ptr addrspace(1) %q0, align 4
  ret void
}

; CHECK-LABEL: define internal void @l.region.0.all8(
; CHECK-NOT: @l.region.0.all16(
define internal void @l.region.0(ptr addrspace(1) %o, ptr addrspace(1) %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #2 {
entry:
  %p0 = getelementptr [7 x float], ptr addrspace(1) %o, i64 0, i64 0
  %q0 = getelementptr float, ptr addrspace(1) %p0, i64 %lid.0
  %a0 = load float, ptr addrspace(1) %q0, align 4
  %p1 = getelementptr [7 x float], ptr addrspace(1) %o, i64 1, i64 0
  %q1 = getelementptr float, ptr addrspace(1) %p1, i64 %lid.0
  %a1 = load float, ptr addrspace(1) %q1, align 4
  %p2 = getelementptr [7 x float], ptr addrspace(1) %o, i64 2, i64 0
  %q2 = getelementptr float, ptr addrspace(1) %p2, i64 %lid.0
  %a2 = load float, ptr addrspace(1) %q2, align 4
  %p3 = getelementptr [7 x float], ptr addrspace(1) %o, i64 3, i64 0
  %q3 = getelementptr float, ptr addrspace(1) %p3, i64 %lid.0
  %a3 = load float, ptr addrspace(1) %q3, align 4
  %p4 = getelementptr [7 x float], ptr addrspace(1) %o, i64 4, i64 0
  %q4 = getelementptr float, ptr addrspace(1) %p4, i64 %lid.0
  %a4 = load float, ptr addrspace(1) %q4, align 4
  %p5 = getelementptr [7 x float], ptr addrspace(1) %o, i64 5, i64 0
  %q5 = getelementptr float, ptr addrspace(1) %p5, i64 %lid.0
  %a5 = load float, ptr addrspace(1) %q5, align 4
  %p6 = getelementptr [7 x float], ptr addrspace(1) %o, i64 6, i64 0
  %q6 = getelementptr float, ptr addrspace(1) %p6, i64 %lid.0
  %a6 = load float, ptr addrspace(1) %q6, align 4
  br label %head
head:
  %k = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %more, %body ]
  %on = icmp slt i32 %k, %n
  br i1 %on, label %body, label %end
body:
  %wide = zext i32 %k to i64
  %at = getelementptr float, ptr addrspace(1) %c, i64 %wide
  %u = load float, ptr addrspace(1) %at, align 4
  %z0 = call float @llvm.fmuladd.f32(float %u, float %a0, float %u)
  %z1 = call float @llvm.fmuladd.f32(float %u, float %a1, float %u)
  %z2 = call float @llvm.fmuladd.f32(float %u, float %a2, float %u)
  %z3 = call float @llvm.fmuladd.f32(float %u, float %a3, float %u)
  %z4 = call float @llvm.fmuladd.f32(float %u, float %a4, float %u)
  %z5 = call float @llvm.fmuladd.f32(float %u, float %a5, float %u)
  %z6 = call float @llvm.fmuladd.f32(float %u, float %a6, float %u)
  %z7 = call float @llvm.fmuladd.f32(float %u, float %a0, float %u)
  %z8 = call float @llvm.fmuladd.f32(float %u, float %a1, float %u)
  %z9 = call float @llvm.fmuladd.f32(float %u, float %a2, float %u)
  %z10 = call float @llvm.fmuladd.f32(float %u, float %a3, float %u)
  %z11 = call float @llvm.fmuladd.f32(float %u, float %a4, float %u)
  %z12 = call float @llvm.fmuladd.f32(float %u, float %a5, float %u)
  %z13 = call float @llvm.fmuladd.f32(float %u, float %a6, float %u)
  %z14 = call float @llvm.fmuladd.f32(float %u, float %a0, float %u)
  %z15 = call float @llvm.fmuladd.f32(float %u, float %a1, float %u)
  %z16 = call float @llvm.fmuladd.f32(float %u, float %a2, float %u)
  %s1 = fadd float %z0, %z1
  %s2 = fadd float %s1, %z2
  %s3 = fadd float %s2, %z3
  %s4 = fadd float %s3, %z4
  %s5 = fadd float %s4, %z5
  %s6 = fadd float %s5, %z6
  %more = fadd float %sum, %s6
  %next = add nuw nsw i32 %k, 1
  br label %head
end:
  store float %sum, ptr addrspace(1) %q0, align 4
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
attributes #2 = { "clpy-kernel"="l" "clpy-role"="region" "clpy-exits"="none" }
attributes #3 = { "clpy-kernel"="l" "clpy-role"="foreach" }
