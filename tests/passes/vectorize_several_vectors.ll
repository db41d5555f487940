; RUN: vectorize width=0 bits=512
; A loop that lanes leave one by one, each turn of which waits for the one before: two vectors at a time hide half of that. Where a branch in the loop parts lanes as well, more lanes would skip it less often: one vector.
declare void @k.region.0.foreach(ptr addrspace(1), float, i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1
declare void @l.region.0.foreach(ptr addrspace(1), float, i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #3

; CHECK-LABEL: define internal void @k.region.0.all32(
; CHECK: phi <32 x float>
; CHECK: fcmp olt <32 x float>
define internal void @k.region.0(ptr addrspace(1) %o, float %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %to = getelementptr float, ptr addrspace(1) %o, i64 %lid.0
  %own = load float, ptr addrspace(1) %to, align 4
  br label %head
head:
  %k = phi i32 [ 0, %entry ], [ %next, %body ]
  %x = phi float [ %own, %entry ], [ %y, %body ]
  %on = fcmp olt float %x, 4.0
  br i1 %on, label %body, label %end
body:
  %square = fmul float %x, %x
  %y = fadd float %square, %c
  %next = add nuw nsw i32 %k, 1
  br label %head
end:
  store float %x, ptr addrspace(1) %to, align 4
  ret void
}

; CHECK-LABEL: define internal void @l.region.0.all16(
; CHECK-NOT: @l.region.0.all32(
define internal void @l.region.0(ptr addrspace(1) %o, float %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #2 {
entry:
  %to = getelementptr float, ptr addrspace(1) %o, i64 %lid.0
  %own = load float, ptr addrspace(1) %to, align 4
  br label %head
head:
  %k = phi i32 [ 0, %entry ], [ %next, %join ]
  %x = phi float [ %own, %entry ], [ %y, %join ]
  %on = icmp slt i32 %k, %n
  br i1 %on, label %body, label %end
body:
  %square = fmul float %x, %x
  %y = fadd float %square, %c
  %small = fcmp olt float %y, 1.0
  br i1 %small, label %note, label %join
note:
  store float %y, ptr addrspace(1) %to, align 4
  br label %join
join:
  %next = add nuw nsw i32 %k, 1
  br label %head
end:
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
attributes #2 = { "clpy-kernel"="l" "clpy-role"="region" "clpy-exits"="none" }
attributes #3 = { "clpy-kernel"="l" "clpy-role"="foreach" }
