; RUN: vectorize width=0 bits=256
; Elements of ten columns for each work-item: as many work-items at a time as fill cache lines, for columns that lie a
; power of two apart would push each other out of the cache before the rest of a line is used.
declare void @columns.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1
declare void @own.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #5
declare void @near.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #3

; CHECK-LABEL: define internal void @columns.region.0.all8(
; CHECK: load <8 x double>
; CHECK: store <8 x double>
define internal void @columns.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %id = add i64 %gbase.0, %lid.0
  %i0 = add nsw i64 %id, 0
  %p0 = getelementptr double, ptr addrspace(1) %a, i64 %i0
  %v0 = load double, ptr addrspace(1) %p0, align 8
  %i1 = add nsw i64 %id, 4096
  %p1 = getelementptr double, ptr addrspace(1) %a, i64 %i1
  %v1 = load double, ptr addrspace(1) %p1, align 8
  %s1 = fadd double %v0, %v1
  %i2 = add nsw i64 %id, 8192
  %p2 = getelementptr double, ptr addrspace(1) %a, i64 %i2
  %v2 = load double, ptr addrspace(1) %p2, align 8
  %s2 = fadd double %s1, %v2
  %i3 = add nsw i64 %id, 12288
  %p3 = getelementptr double, ptr addrspace(1) %a, i64 %i3
  %v3 = load double, ptr addrspace(1) %p3, align 8
  %s3 = fadd double %s2, %v3
  %i4 = add nsw i64 %id, 16384
  %p4 = getelementptr double, ptr addrspace(1) %a, i64 %i4
  %v4 = load double, ptr addrspace(1) %p4, align 8
  %s4 = fadd double %s3, %v4
  %i5 = add nsw i64 %id, 20480
  %p5 = getelementptr double, ptr addrspace(1) %a, i64 %i5
  %v5 = load double, ptr addrspace(1) %p5, align 8
  %s5 = fadd double %s4, %v5
  %i6 = add nsw i64 %id, 24576
  %p6 = getelementptr double, ptr addrspace(1) %a, i64 %i6
  %v6 = load double, ptr addrspace(1) %p6, align 8
  %s6 = fadd double %s5, %v6
  %i7 = add nsw i64 %id, 28672
  %p7 = getelementptr double, ptr addrspace(1) %a, i64 %i7
  %v7 = load double, ptr addrspace(1) %p7, align 8
  %s7 = fadd double %s6, %v7
  %i8 = add nsw i64 %id, 32768
  %p8 = getelementptr double, ptr addrspace(1) %a, i64 %i8
  %v8 = load double, ptr addrspace(1) %p8, align 8
  %s8 = fadd double %s7, %v8
  %pc = getelementptr double, ptr addrspace(1) %c, i64 %id
  store double %s8, ptr addrspace(1) %pc, align 8
  ret void
}

; Ten places of two lines are no columns.
; CHECK-LABEL: define internal void @near.region.0.all4(
; CHECK: load <4 x double>
define internal void @near.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #2 {
entry:
  %id = add i64 %gbase.0, %lid.0
  %i0 = add nsw i64 %id, 0
  %p0 = getelementptr double, ptr addrspace(1) %a, i64 %i0
  %v0 = load double, ptr addrspace(1) %p0, align 8
  %i1 = add nsw i64 %id, 1
  %p1 = getelementptr double, ptr addrspace(1) %a, i64 %i1
  %v1 = load double, ptr addrspace(1) %p1, align 8
  %s1 = fadd double %v0, %v1
  %i2 = add nsw i64 %id, 2
  %p2 = getelementptr double, ptr addrspace(1) %a, i64 %i2
  %v2 = load double, ptr addrspace(1) %p2, align 8
  %s2 = fadd double %s1, %v2
  %i3 = add nsw i64 %id, 3
  %p3 = getelementptr double, ptr addrspace(1) %a, i64 %i3
  %v3 = load double, ptr addrspace(1) %p3, align 8
  %s3 = fadd double %s2, %v3
  %i4 = add nsw i64 %id, 4
  %p4 = getelementptr double, ptr addrspace(1) %a, i64 %i4
  %v4 = load double, ptr addrspace(1) %p4, align 8
  %s4 = fadd double %s3, %v4
  %i5 = add nsw i64 %id, 5
  %p5 = getelementptr double, ptr addrspace(1) %a, i64 %i5
  %v5 = load double, ptr addrspace(1) %p5, align 8
  %s5 = fadd double %s4, %v5
  %i6 = add nsw i64 %id, 6
  %p6 = getelementptr double, ptr addrspace(1) %a, i64 %i6
  %v6 = load double, ptr addrspace(1) %p6, align 8
  %s6 = fadd double %s5, %v6
  %i7 = add nsw i64 %id, 7
  %p7 = getelementptr double, ptr addrspace(1) %a, i64 %i7
  %v7 = load double, ptr addrspace(1) %p7, align 8
  %s7 = fadd double %s6, %v7
  %i8 = add nsw i64 %id, 8
  %p8 = getelementptr double, ptr addrspace(1) %a, i64 %i8
  %v8 = load double, ptr addrspace(1) %p8, align 8
  %s8 = fadd double %s7, %v8
  %pc = getelementptr double, ptr addrspace(1) %c, i64 %id
  store double %s8, ptr addrspace(1) %pc, align 8
  ret void
}

; As many values in the group's own memory stay in a cache: registers for one vector of each are better kept free.
; CHECK-LABEL: define internal void @own.region.0.all4(
; CHECK: store <4 x double>
define internal void @own.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #4 {
entry:
  %id = add i64 %gbase.0, %lid.0
  %p = getelementptr double, ptr addrspace(1) %a, i64 %id
  %v = load double, ptr addrspace(1) %p, align 8
  %i0 = add nsw i64 %lid.0, 0
  %p0 = getelementptr double, ptr %context, i64 %i0
  %v0 = load double, ptr %p0, align 8
  %s0 = fadd double %v0, %v
  store double %s0, ptr %p0, align 8
  %i1 = add nsw i64 %lid.0, 512
  %p1 = getelementptr double, ptr %context, i64 %i1
  %v1 = load double, ptr %p1, align 8
  %s1 = fadd double %v1, %v
  store double %s1, ptr %p1, align 8
  %i2 = add nsw i64 %lid.0, 1024
  %p2 = getelementptr double, ptr %context, i64 %i2
  %v2 = load double, ptr %p2, align 8
  %s2 = fadd double %v2, %v
  store double %s2, ptr %p2, align 8
  %i3 = add nsw i64 %lid.0, 1536
  %p3 = getelementptr double, ptr %context, i64 %i3
  %v3 = load double, ptr %p3, align 8
  %s3 = fadd double %v3, %v
  store double %s3, ptr %p3, align 8
  %i4 = add nsw i64 %lid.0, 2048
  %p4 = getelementptr double, ptr %context, i64 %i4
  %v4 = load double, ptr %p4, align 8
  %s4 = fadd double %v4, %v
  store double %s4, ptr %p4, align 8
  %i5 = add nsw i64 %lid.0, 2560
  %p5 = getelementptr double, ptr %context, i64 %i5
  %v5 = load double, ptr %p5, align 8
  %s5 = fadd double %v5, %v
  store double %s5, ptr %p5, align 8
  %i6 = add nsw i64 %lid.0, 3072
  %p6 = getelementptr double, ptr %context, i64 %i6
  %v6 = load double, ptr %p6, align 8
  %s6 = fadd double %v6, %v
  store double %s6, ptr %p6, align 8
  %i7 = add nsw i64 %lid.0, 3584
  %p7 = getelementptr double, ptr %context, i64 %i7
  %v7 = load double, ptr %p7, align 8
  %s7 = fadd double %v7, %v
  store double %s7, ptr %p7, align 8
  %i8 = add nsw i64 %lid.0, 4096
  %p8 = getelementptr double, ptr %context, i64 %i8
  %v8 = load double, ptr %p8, align 8
  %s8 = fadd double %v8, %v
  store double %s8, ptr %p8, align 8
  %i9 = add nsw i64 %lid.0, 4608
  %p9 = getelementptr double, ptr %context, i64 %i9
  %v9 = load double, ptr %p9, align 8
  %s9 = fadd double %v9, %v
  store double %s9, ptr %p9, align 8
  ret void
}

attributes #0 = { "clpy-kernel"="columns" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="columns" "clpy-role"="foreach" }
attributes #2 = { "clpy-kernel"="near" "clpy-role"="region" "clpy-exits"="none" }
attributes #3 = { "clpy-kernel"="near" "clpy-role"="foreach" }
attributes #4 = { "clpy-kernel"="own" "clpy-role"="region" "clpy-exits"="none" }
attributes #5 = { "clpy-kernel"="own" "clpy-role"="foreach" }
