; RUN: vectorize width=0
; A work-item that computes on vectors that fill registers is a vector already: several would need many times as many
; registers. On shorter ones the work-items become the lanes.
declare void @k.region.0.foreach(ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1
declare void @m.region.0.foreach(ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #3
declare float @sinf(float)

; CHECK: declare void @k.region.0.foreach(
; CHECK-NOT: @k.region.0.all
; CHECK: define internal void @k.region.0(
; CHECK-NOT: @k.region.0.all
; CHECK: define internal void @m.region.0.all16(
define internal void @k.region.0(ptr addrspace(1) %a, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %id = add i64 %gbase.0, %lid.0
  %p = getelementptr <16 x float>, ptr addrspace(1) %a, i64 %id
  %x = load <16 x float>, ptr addrspace(1) %p
  %x0 = extractelement <16 x float> %x, i64 0
  %s = call float @sinf(float %x0)
  %y = insertelement <16 x float> %x, float %s, i64 0
  %y2 = fmul <16 x float> %y, %y
  %y3 = fmul <16 x float> %y2, %y
  %y4 = fadd <16 x float> %y3, %y
  store <16 x float> %y4, ptr addrspace(1) %p
  ret void
}

define internal void @m.region.0(ptr addrspace(1) %a, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #2 {
entry:
  %id = add i64 %gbase.0, %lid.0
  %p = getelementptr <4 x float>, ptr addrspace(1) %a, i64 %id
  %x = load <4 x float>, ptr addrspace(1) %p
  %x0 = extractelement <4 x float> %x, i64 0
  %s = call float @sinf(float %x0)
  %y = insertelement <4 x float> %x, float %s, i64 0
  %y2 = fmul <4 x float> %y, %y
  %y3 = fmul <4 x float> %y2, %y
  %y4 = fadd <4 x float> %y3, %y
  store <4 x float> %y4, ptr addrspace(1) %p
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
attributes #2 = { "clpy-kernel"="m" "clpy-role"="region" "clpy-exits"="none" }
attributes #3 = { "clpy-kernel"="m" "clpy-role"="foreach" }
