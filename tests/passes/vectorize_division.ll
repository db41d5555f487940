; RUN: vectorize width=4
; A lane outside of the mask divides by 1: what is known of its divisor need not hold. A constant stays. Vectors of integers
; are divided as floating-point numbers, by the inverse of a divisor that is the same for all lanes, which is a little too
; large; 64 bits only where all have 32.
declare void @u.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1
declare void @p.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.some4(
; CHECK: [[ODD:%\w+]] = select <4 x i1> %active, <4 x i1> {{.*}}, <4 x i1> zeroinitializer
; CHECK: [[SAFE:%\w+]] = select <4 x i1> [[ODD]], <4 x i32> {{.*}}, <4 x i32> splat (i32 1)
; CHECK: [[DIVISOR:%\w+]] = freeze <4 x i32> [[SAFE]]
; CHECK: [[NUMBER:%\w+]] = uitofp <4 x i32> [[DIVISOR]] to <4 x double>
; CHECK: [[QUOTIENT:%\w+]] = fdiv <4 x double> splat (double 1.000000e+03), [[NUMBER]]
; CHECK: fptoui <4 x double> [[QUOTIENT]] to <4 x i32>
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

; CHECK-LABEL: define internal void @u.region.0.all4(
; CHECK: [[DIVISOR:%\w+]] = freeze i32 %n
; CHECK: [[ZERO:%\w+]] = icmp eq i32 [[DIVISOR]], 0
; CHECK: [[SAFE:%\w+]] = select i1 [[ZERO]], i32 1, i32 [[DIVISOR]]
; CHECK: [[NUMBER:%\w+]] = sitofp i32 [[SAFE]] to double
; CHECK: [[INVERSE:%\w+]] = fdiv double 0x3FF0000000000004, [[NUMBER]]
; CHECK: fmul <4 x double>
; CHECK: mul <4 x i32>
; CHECK: sub <4 x i32>
; CHECK: call i64 @llvm.vector.reduce.or.v4i64(
; CHECK: fdiv <4 x double>
; CHECK: udiv <4 x i64>
define internal void @u.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %lid.0
  %x = load i32, ptr addrspace(1) %pa
  %nothing = icmp eq i32 %n, 0
  %back = icmp eq i32 %n, -1
  %least = icmp eq i32 %x, -2147483648
  %over = and i1 %back, %least
  %traps = or i1 %nothing, %over
  %by = select i1 %traps, i32 1, i32 %n
  %rest = srem i32 %x, %by
  %pc = getelementptr i32, ptr addrspace(1) %c, i64 %lid.0
  store i32 %rest, ptr addrspace(1) %pc
  %pl = getelementptr i64, ptr addrspace(1) %a, i64 %lid.0
  %l = load i64, ptr addrspace(1) %pl
  %m = or i64 %l, 1
  %q = udiv i64 %l, %m
  %pq = getelementptr i64, ptr addrspace(1) %c, i64 %lid.0
  store i64 %q, ptr addrspace(1) %pq
  ret void
}

; A divisor that is the same for all lanes may be a power of two: lower bits and shifts then. Of numbers with a sign only
; whether something is left is so easy.
; CHECK-LABEL: define internal void @p.region.0.all4(
; CHECK: [[BELOW:%\w+]] = sub i32 [[BY:%\w+]], 1
; CHECK: [[BOTH:%\w+]] = and i32 [[BY]], [[BELOW]]
; CHECK: [[POWER:%\w+]] = icmp eq i32 [[BOTH]], 0
; CHECK: br i1 [[POWER]]
; CHECK: icmp eq <4 x i32> %{{.+}}, zeroinitializer
; CHECK: and <4 x i32>
; CHECK: fdiv double
; CHECK: call i32 @llvm.ctpop.i32(
; CHECK: lshr <4 x i32>
define internal void @p.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %lid.0
  %x = load i32, ptr addrspace(1) %pa
  %rest = srem i32 %x, %n
  %none = icmp eq i32 %rest, 0
  %q = udiv i32 %x, %n
  %chosen = select i1 %none, i32 %q, i32 7
  %pc = getelementptr i32, ptr addrspace(1) %c, i64 %lid.0
  store i32 %chosen, ptr addrspace(1) %pc
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
