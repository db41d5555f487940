; RUN: vectorize width=4
; The sum in 32 bits of an id and an argument may wrap: whether it does in a group is looked at once, with the first and the last id, and the lanes are neighbours in 64 bits. A row's id counts with its multiples, a loop's counter with its bound.
declare void @k.region.0.foreach(ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1
declare void @p.region.0.foreach(ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1
declare void @u.region.0.foreach(ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.foreach(
; CHECK: %[[W:.+]] = call i1 @k.region.0.wraps0(
; CHECK: or i1 %{{.+}}, %[[W]]
; CHECK-LABEL: define internal void @p.region.0.foreach(
; CHECK: call i1 @p.region.0.wraps0(
; CHECK-LABEL: define internal void @u.region.0.foreach(
; CHECK-NOT: call i1

; CHECK-LABEL: define internal i1 @k.region.0.wraps0(
; CHECK: %[[BASE:.+]] = trunc i64 %gbase.0 to i32
; CHECK: %[[FIRST:.+]] = sext i32 %{{.+}} to i64
; CHECK: %[[ROWS:.+]] = sub i64 %lsize.1, 1
; CHECK: mul i64 %[[ROWS]], %{{.+}}
; CHECK: %[[LAST:.+]] = sub i64 %lsize.0, 1
; CHECK: icmp ugt i64 %{{.+}}, 4294967295
; CHECK: ret i1

; CHECK-LABEL: define internal void @k.region.0.all4(
; CHECK-NOT: gather
; CHECK: load <4 x float>
; CHECK: ret void
define internal void @k.region.0(ptr addrspace(1) %a, i32 %k, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %id = add i64 %gbase.0, %lid.0
  %x = trunc i64 %id to i32
  %y = trunc i64 %lid.1 to i32
  %row = mul i32 %y, %k
  br label %head
head:
  %j = phi i32 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i32 %j, %k
  br i1 %more, label %body, label %end
body:
  %at = add i32 %row, %x
  %sum = add i32 %at, %j
  %i = sext i32 %sum to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %v = load float, ptr addrspace(1) %p, align 4
  %w = fadd float %v, 1.0
  store float %w, ptr addrspace(1) %p, align 4
  %next = add nsw i32 %j, 1
  br label %head
end:
  ret void
}

; In two dimensions only the groups of the first row are such: the place above the one of the work-item.
; CHECK-LABEL: define internal void @p.region.0.all4(
; CHECK-NOT: gather
; CHECK: load <4 x float>
; CHECK: ret void
define internal void @p.region.0(ptr addrspace(1) %a, i32 %k, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %id.0 = add i64 %gbase.0, %lid.0
  %id.1 = add i64 %gbase.1, %lid.1
  %x = trunc i64 %id.0 to i32
  %y = trunc i64 %id.1 to i32
  %above = add i32 %y, -1
  %row = mul i32 %above, %k
  %at = add i32 %row, %x
  %i = zext i32 %at to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %v = load float, ptr addrspace(1) %p, align 4
  %w = fadd float %v, 1.0
  store float %w, ptr addrspace(1) %p, align 4
  ret void
}

; What is taken away from an unsigned number leaves less than nothing for the first work-items of a program that then does not use it: no look at the group.
; CHECK-LABEL: define internal void @u.region.0.all4(
; CHECK: gather
define internal void @u.region.0(ptr addrspace(1) %a, i32 %k, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %x = trunc i64 %lid.0 to i32
  %at = sub i32 %x, %k
  %i = zext i32 %at to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %v = load float, ptr addrspace(1) %p, align 4
  %w = fadd float %v, 1.0
  store float %w, ptr addrspace(1) %p, align 4
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
