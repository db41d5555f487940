; RUN: vectorize width=8
; `for (k = x - r; k <= x + r; k++)`: both sides go up by one from lane to lane, so all lanes leave the loop together.
; Where lane 0 may not take part, its numbers may wrap: they are compared as 64 bits.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.some8(
; CHECK: [[K:%\w+]] = phi i32
; CHECK: [[LEFT:%\w+]] = sext i32 [[K]] to i64
; CHECK: [[OUT:%\w+]] = icmp sgt i64 [[LEFT]],
; CHECK: br i1 [[OUT]]
; CHECK: call <8 x float> @llvm.masked.load.v8f32.p1(ptr addrspace(1) align 4 {{%\w+}}, <8 x i1> %active
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %r, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %x = trunc i64 %lid.0 to i32
  %first = sub nsw i32 %x, %r
  %last = add nsw i32 %x, %r
  br label %loop

loop:
  %k = phi i32 [ %first, %entry ], [ %next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %more, %body ]
  %out = icmp sgt i32 %k, %last
  br i1 %out, label %end, label %body

body:
  %wide = sext i32 %k to i64
  %pa = getelementptr float, ptr addrspace(1) %a, i64 %wide
  %v = load float, ptr addrspace(1) %pa
  %more = fadd float %sum, %v
  %next = add nsw i32 %k, 1
  br label %loop

end:
  %pc = getelementptr float, ptr addrspace(1) %c, i64 %lid.0
  store float %sum, ptr addrspace(1) %pc
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
