; RUN: vectorize width=4
; A lane outside of the mask divides by 1: what is known of its divisor need not hold. A constant stays.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.some4(
; CHECK: [[ODD:%\w+]] = select <4 x i1> %active, <4 x i1> {{.*}}, <4 x i1> zeroinitializer
; CHECK: [[SAFE:%\w+]] = select <4 x i1> [[ODD]], <4 x i32> {{.*}}, <4 x i32> splat (i32 1)
; CHECK: [[DIVISOR:%\w+]] = freeze <4 x i32> [[SAFE]]
; CHECK: udiv <4 x i32> splat (i32 1000), [[DIVISOR]]
; CHECK: udiv <4 x i32> {{.*}}, splat (i32 3)
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %lid.0
  %x = load i32, ptr addrspace(1) %pa
  %odd = trunc i32 %x to i1
  br i1 %odd, label %do, label %end
do:
  %q = udiv i32 1000, %x
  %r = udiv i32 %q, 3
  %pc = getelementptr i32, ptr addrspace(1) %c, i64 %lid.0
  store i32 %r, ptr addrspace(1) %pc
  br label %end
end:
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
