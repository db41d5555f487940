; RUN: vectorize width=16 bits=512
; Scatters and gathers take as long for a few lanes as for all: up to 7 of 16 work-items run one by one, where vectors of
; others take part from 4 on.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

define internal void @k.region.0(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %id = add i64 %gbase.0, %lid.0
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %id
  %place = load i64, ptr addrspace(1) %p
  %from = getelementptr i32, ptr addrspace(1) %b, i64 %place
  %value = load i32, ptr addrspace(1) %from
  store i32 7, ptr addrspace(1) %from
  ret void
}

; CHECK-LABEL: define internal void @k.region.0.foreach(
; CHECK: [[FEW:%\d+]] = icmp ult i64 [[SIZE:%\d+]], 8
; CHECK: [[ODD:%\w+]] = or i1 %wraps, [[FEW]]
; CHECK: br i1 [[ODD]], label %one.by.one, label %vectors

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
