; RUN: vectorize width=0 bits=512
; Elements of ten columns for each work-item, where a register is a cache line: two lines at a time, as processors fetch
; pairs of them. Nothing is asked for ahead, though it computes for long: the lines of so many columns have the same slots of
; a cache, from which they would push each other.
declare void @columns.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @columns.region.0.all16(
; CHECK-NOT: prefetch
; CHECK: load <16 x double>
; CHECK-NOT: prefetch
; CHECK: store <16 x double>
; CHECK-NOT: prefetch
; CHECK: ret void
define internal void @columns.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %id = add i64 %gbase.0, %lid.0
  %i0 = add nsw i64 %id, 0
  %p0 = getelementptr double, ptr addrspace(1) %a, i64 %i0
  %v0 = load double, ptr addrspace(1) %p0, align 8
  %s0 = fmul double %v0, 2.000000e+00
  %i1 = add nsw i64 %id, 4096
  %p1 = getelementptr double, ptr addrspace(1) %a, i64 %i1
  %v1 = load double, ptr addrspace(1) %p1, align 8
  %m1 = fmul double %s0, %v1
  %s1 = fadd double %m1, %v1
  %i2 = add nsw i64 %id, 8192
  %p2 = getelementptr double, ptr addrspace(1) %a, i64 %i2
  %v2 = load double, ptr addrspace(1) %p2, align 8
  %m2 = fmul double %s1, %v2
  %s2 = fadd double %m2, %v2
  %i3 = add nsw i64 %id, 12288
  %p3 = getelementptr double, ptr addrspace(1) %a, i64 %i3
  %v3 = load double, ptr addrspace(1) %p3, align 8
  %m3 = fmul double %s2, %v3
  %s3 = fadd double %m3, %v3
  %i4 = add nsw i64 %id, 16384
  %p4 = getelementptr double, ptr addrspace(1) %a, i64 %i4
  %v4 = load double, ptr addrspace(1) %p4, align 8
  %m4 = fmul double %s3, %v4
  %s4 = fadd double %m4, %v4
  %i5 = add nsw i64 %id, 20480
  %p5 = getelementptr double, ptr addrspace(1) %a, i64 %i5
  %v5 = load double, ptr addrspace(1) %p5, align 8
  %m5 = fmul double %s4, %v5
  %s5 = fadd double %m5, %v5
  %i6 = add nsw i64 %id, 24576
  %p6 = getelementptr double, ptr addrspace(1) %a, i64 %i6
  %v6 = load double, ptr addrspace(1) %p6, align 8
  %m6 = fmul double %s5, %v6
  %s6 = fadd double %m6, %v6
  %i7 = add nsw i64 %id, 28672
  %p7 = getelementptr double, ptr addrspace(1) %a, i64 %i7
  %v7 = load double, ptr addrspace(1) %p7, align 8
  %m7 = fmul double %s6, %v7
  %s7 = fadd double %m7, %v7
  %i8 = add nsw i64 %id, 32768
  %p8 = getelementptr double, ptr addrspace(1) %a, i64 %i8
  %v8 = load double, ptr addrspace(1) %p8, align 8
  %m8 = fmul double %s7, %v8
  %s8 = fadd double %m8, %v8
  %i9 = add nsw i64 %id, 36864
  %p9 = getelementptr double, ptr addrspace(1) %a, i64 %i9
  %v9 = load double, ptr addrspace(1) %p9, align 8
  %m9 = fmul double %s8, %v9
  %s9 = fadd double %m9, %v9
  %pc = getelementptr double, ptr addrspace(1) %c, i64 %id
  store double %s9, ptr addrspace(1) %pc, align 8
  ret void
}

attributes #0 = { "clpy-kernel"="columns" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="columns" "clpy-role"="foreach" }
