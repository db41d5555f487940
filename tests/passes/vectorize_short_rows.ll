; RUN: vectorize width=0 bits=256
; Groups of 16 x 16 whose rows are two vectors: two calls, no loop along the row and nothing behind it. The work-items of a
; group whose ids wrap run one by one in loops of their own. Rows of 20 have a rest, and where a kernel does not see its groups the last may be smaller: loops.
declare void @two.region.0.foreach(ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1
declare void @rest.region.0.foreach(ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #3
declare void @parts.region.0.foreach(ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #5

; CHECK-LABEL: define internal void @two.region.0.foreach(
; CHECK: br i1 %odd, label %one.by.one, label %vectors
; CHECK: row:
; CHECK-NEXT: %lid.1 = phi i64 [ 0, %plane ], [ [[NEXT:%\d+]], %row.end ]
; CHECK-NEXT: call void @two.region.0.all8(ptr addrspace(1) %0, i64 8, i64 0, i64 %lid.1, i64 %lid.2,
; CHECK-NEXT: call void @two.region.0.all8(ptr addrspace(1) %0, i64 8, i64 8, i64 %lid.1, i64 %lid.2,
; CHECK-NEXT: br label %row.end
; CHECK-NOT: call void @two.region.0.some
; CHECK: call void @two.region.0(ptr
define internal void @two.region.0(ptr addrspace(1) %a, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %x = add i64 %gbase.0, %lid.0
  %y = add i64 %gbase.1, %lid.1
  %row = mul i64 %y, 1000
  %id = add i64 %row, %x
  %p = getelementptr float, ptr addrspace(1) %a, i64 %id
  %v = load float, ptr addrspace(1) %p
  %w = fadd float %v, 1.0
  store float %w, ptr addrspace(1) %p
  ret void
}

; CHECK-LABEL: define internal void @rest.region.0.foreach(
; CHECK: call void @rest.region.0.all8(ptr addrspace(1) %0, i64 8, i64 %lid.0
; CHECK: call void @rest.region.0.some8(
define internal void @rest.region.0(ptr addrspace(1) %a, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #2 {
entry:
  %x = add i64 %gbase.0, %lid.0
  %y = add i64 %gbase.1, %lid.1
  %row = mul i64 %y, 1000
  %id = add i64 %row, %x
  %p = getelementptr float, ptr addrspace(1) %a, i64 %id
  %v = load float, ptr addrspace(1) %p
  %w = fadd float %v, 1.0
  store float %w, ptr addrspace(1) %p
  ret void
}

; CHECK-LABEL: define internal void @parts.region.0.foreach(
; CHECK: call void @parts.region.0.all8(ptr addrspace(1) %0, i64 8, i64 %lid.0
; CHECK: call void @parts.region.0(ptr
define internal void @parts.region.0(ptr addrspace(1) %a, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #4 {
entry:
  %x = add i64 %gbase.0, %lid.0
  %y = add i64 %gbase.1, %lid.1
  %row = mul i64 %y, 1000
  %id = add i64 %row, %x
  %p = getelementptr float, ptr addrspace(1) %a, i64 %id
  %v = load float, ptr addrspace(1) %p
  %w = fadd float %v, 1.0
  store float %w, ptr addrspace(1) %p
  ret void
}

attributes #0 = { "clpy-kernel"="two" "clpy-role"="region" "clpy-exits"="none" "clpy-reqd-size"="16,16,1" "clpy-uniform-groups" "clpy-sees-groups" }
attributes #1 = { "clpy-kernel"="two" "clpy-role"="foreach" }
attributes #2 = { "clpy-kernel"="rest" "clpy-role"="region" "clpy-exits"="none" "clpy-reqd-size"="20,16,1" "clpy-uniform-groups" "clpy-sees-groups" }
attributes #3 = { "clpy-kernel"="rest" "clpy-role"="foreach" }
attributes #4 = { "clpy-kernel"="parts" "clpy-role"="region" "clpy-exits"="none" "clpy-reqd-size"="16,16,1" "clpy-uniform-groups" }
attributes #5 = { "clpy-kernel"="parts" "clpy-role"="foreach" }
