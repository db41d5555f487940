; RUN: vectorize width=4
; A loop with two exits: its live lanes are a mask that carries on until none is left; what runs behind one exit runs under the lanes that left there.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.some4(
; CHECK: loop:
; CHECK: [[LIVE:%[\w.]+]] = phi <4 x i1> [ %active, {{.*}} ], [ [[NEXT:%[\w.]+]], {{.*}} ]
; CHECK: bitcast <4 x i1> [[NEXT]] to i4
; CHECK: br i1 {{.*}}, label %loop,
; CHECK: call void @llvm.masked.store.v4i32.p1({{.*}} <4 x i1> [[FIRST:%[\w.]+]])
; CHECK-NOT: <4 x i1> [[FIRST]])
; CHECK: call void @llvm.masked.store.v4i32.p1({{.*}} <4 x i1> %active)
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %lid.0
  %x = load i32, ptr addrspace(1) %pa
  %pc = getelementptr i32, ptr addrspace(1) %c, i64 %lid.0
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %more ]
  %found = icmp eq i32 %i, %x
  br i1 %found, label %first, label %more
more:
  %i.next = add i32 %i, 1
  %cond = icmp ult i32 %i.next, %n
  br i1 %cond, label %loop, label %end
first:
  store i32 -1, ptr addrspace(1) %pc
  br label %end
end:
  %r = phi i32 [ 7, %first ], [ %i.next, %more ]
  %p2 = getelementptr i32, ptr addrspace(1) %pc, i64 100
  store i32 %r, ptr addrspace(1) %p2
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
