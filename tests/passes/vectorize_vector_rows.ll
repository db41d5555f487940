; RUN: vectorize width=16
; Rows of short vectors (char4), one for each lane, are read in blocks as the numbers that they would be. Vectors that may lie
; anywhere (vload4) are gathered.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.all16(
; CHECK: alloca [16 x <16 x i32>], align 64
; CHECK-NOT: alloca [16 x
; CHECK: bitcast <16 x i32> %{{.+}} to <64 x i8>
; CHECK: bitcast <16 x i32> %{{.+}} to <64 x i8>
; CHECK-LABEL: define internal void @k.region.0.some16(
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %length = zext i32 %n to i64
  %row = mul i64 %lid.0, %length
  br label %loop
loop:
  %j = phi i64 [ 0, %entry ], [ %j1, %loop ]
  %s = phi <4 x i8> [ zeroinitializer, %entry ], [ %s2, %loop ]
  %i = add i64 %row, %j
  %p = getelementptr <4 x i8>, ptr addrspace(1) %a, i64 %i
  %v = load <4 x i8>, ptr addrspace(1) %p, align 4
  %q = getelementptr <4 x i8>, ptr addrspace(1) %c, i64 %i
  %w = load <4 x i8>, ptr addrspace(1) %q, align 1
  %s1 = add <4 x i8> %s, %v
  %s2 = add <4 x i8> %s1, %w
  %j1 = add nuw nsw i64 %j, 1
  %more = icmp ule i64 %j1, %length
  br i1 %more, label %loop, label %end
end:
  %r = getelementptr <4 x i8>, ptr addrspace(1) %c, i64 %lid.0
  store <4 x i8> %s2, ptr addrspace(1) %r
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
