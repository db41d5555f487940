; RUN: vectorize width=4
; A loop that lanes leave one by one has turns without masks for as long as all of them are in it: it goes on there when the last lane does, whose number is the largest, compared in twice the bits. What is left of it has masks, and blends what the lanes leave with.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.all4(
; CHECK-NOT: <4 x i1>
; CHECK: br label %together
; CHECK: together:
; CHECK: [[I:%[\w.]+]] = phi i32
; CHECK: [[S:%[\w.]+]] = phi <4 x float>
; CHECK: [[WIDE:%[\w.]+]] = sext i32 [[I]] to i64
; CHECK: [[LAST:%[\w.]+]] = add i64 [[WIDE]], 3
; CHECK: icmp slt i64 [[LAST]]
; CHECK: br i1 {{.*}}, label %full, label %[[COPY:[\w.]+]]
; CHECK: [[COPY]]:
; CHECK-NOT: masked
; CHECK-NOT: select
; CHECK: load <4 x float>
; CHECK: fadd <4 x float> [[S]]
; CHECK: br label %together
; CHECK: full:
; CHECK: phi <4 x i1>
; CHECK: call <4 x float> @llvm.masked.load.v4f32.p1
; CHECK-LABEL: define internal void @k.region.0.some4(
; CHECK-NOT: together
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %first = trunc i64 %lid.0 to i32
  %step = trunc i64 %lsize.0 to i32
  br label %loop
loop:
  %i = phi i32 [ %first, %entry ], [ %next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %more, %body ]
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %body, label %end
body:
  %at = sext i32 %i to i64
  %pa = getelementptr float, ptr addrspace(1) %a, i64 %at
  %x = load float, ptr addrspace(1) %pa
  %more = fadd float %sum, %x
  %next = add nsw i32 %i, %step
  br label %loop
end:
  %pc = getelementptr float, ptr addrspace(1) %c, i64 %lid.0
  store float %sum, ptr addrspace(1) %pc
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
