; RUN: vectorize width=4
; A uniform loop in a divergent branch stays a loop on a uniform condition, and its uniform load one scalar load.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.some4(
; CHECK: [[MASK:%\w+]] = select <4 x i1> %active, <4 x i1>
; CHECK: bitcast <4 x i1> [[MASK]] to i4
; CHECK: phi i32 [ 0,
; CHECK: load i32, ptr addrspace(1) {{%\w+}}
; CHECK: [[MORE:%\w+]] = icmp slt i32 {{.*}}, %n
; CHECK-NEXT: br i1 [[MORE]]
; CHECK: call void @llvm.masked.store.v4i32.p1({{.*}} <4 x i1> [[MASK]])
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %lid.0
  %x = load i32, ptr addrspace(1) %pa
  %odd = trunc i32 %x to i1
  br i1 %odd, label %loop, label %end
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %s = phi i32 [ %x, %entry ], [ %s.next, %loop ]
  %wide = sext i32 %i to i64
  %pi = getelementptr i32, ptr addrspace(1) %a, i64 %wide
  %y = load i32, ptr addrspace(1) %pi
  %s.next = mul i32 %s, %y
  %i.next = add i32 %i, 1
  %cond = icmp slt i32 %i.next, %n
  br i1 %cond, label %loop, label %out
out:
  %pc = getelementptr i32, ptr addrspace(1) %c, i64 %lid.0
  store i32 %s.next, ptr addrspace(1) %pc
  br label %end
end:
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
