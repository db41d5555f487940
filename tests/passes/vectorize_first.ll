; RUN: vectorize width=0 first
; Before anything has run work-items that do not fill a vector of eight run one by one. What a known size leaves no work
; for is never made: eight are the whole group, twelve are a vector and a rest, for which a kernel of its own size gets a
; mask.
declare void @any.region.0.foreach(ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1
declare void @eight.region.0.foreach(ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #3
declare void @twelve.region.0.foreach(ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #5

define internal void @any.region.0(ptr addrspace(1) %a, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %id = add i64 %gbase.0, %lid.0
  %p = getelementptr double, ptr addrspace(1) %a, i64 %id
  %x = load double, ptr addrspace(1) %p
  %y = fmul double %x, %x
  store double %y, ptr addrspace(1) %p
  ret void
}

define internal void @eight.region.0(ptr addrspace(1) %a, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #2 {
entry:
  %id = add i64 %gbase.0, %lid.0
  %p = getelementptr double, ptr addrspace(1) %a, i64 %id
  %x = load double, ptr addrspace(1) %p
  %y = fmul double %x, %x
  store double %y, ptr addrspace(1) %p
  ret void
}

define internal void @twelve.region.0(ptr addrspace(1) %a, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #4 {
entry:
  %id = add i64 %gbase.0, %lid.0
  %p = getelementptr double, ptr addrspace(1) %a, i64 %id
  %x = load double, ptr addrspace(1) %p
  %y = fmul double %x, %x
  store double %y, ptr addrspace(1) %p
  ret void
}

; CHECK-LABEL: define internal void @any.region.0.foreach(
; CHECK: call void @any.region.0.all8(
; CHECK-NOT: some8
; CHECK: call void @any.region.0(
; CHECK-LABEL: define internal void @eight.region.0.foreach(
; CHECK: call void @eight.region.0.all8(
; CHECK-NOT: some8
; CHECK: call void @eight.region.0(
; CHECK-LABEL: define internal void @twelve.region.0.foreach(
; CHECK: call void @twelve.region.0.all8(
; CHECK: call void @twelve.region.0.some8(
; CHECK: call void @twelve.region.0(

attributes #0 = { "clpy-kernel"="any" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="any" "clpy-role"="foreach" }
attributes #2 = { "clpy-kernel"="eight" "clpy-role"="region" "clpy-exits"="none" "clpy-reqd-size"="8,1,1" }
attributes #3 = { "clpy-kernel"="eight" "clpy-role"="foreach" }
attributes #4 = { "clpy-kernel"="twelve" "clpy-role"="region" "clpy-exits"="none" "clpy-reqd-size"="12,1,1" }
attributes #5 = { "clpy-kernel"="twelve" "clpy-role"="foreach" }
