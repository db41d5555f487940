; RUN: vectorize width=8
; A vector of 16 bytes from each work-item's own place. Its address is made of what all share and an index, which nobody
; takes out of a vector of addresses. The elements are brought together by shuffles inside of 16 bytes: lanes 0 and 4 come
; into one register, 1 and 5 into the next.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.all8(
; CHECK: [[N:%\w+]] = load <8 x i32>
; CHECK: [[N0:%\w+]] = extractelement <8 x i32> [[N]], i64 0
; CHECK: [[I0:%\w+]] = sext i32 [[N0]] to i64
; CHECK: [[P0:%\w+]] = getelementptr <4 x float>, ptr addrspace(1) %p, i64 [[I0]]
; CHECK: [[R0:%\w+]] = load <4 x float>, ptr addrspace(1) [[P0]]
; CHECK: [[N4:%\w+]] = extractelement <8 x i32> [[N]], i64 4
; CHECK: [[I4:%\w+]] = sext i32 [[N4]] to i64
; CHECK: [[P4:%\w+]] = getelementptr <4 x float>, ptr addrspace(1) %p, i64 [[I4]]
; CHECK: [[R4:%\w+]] = load <4 x float>, ptr addrspace(1) [[P4]]
; CHECK: [[R04:%\w+]] = shufflevector <4 x float> [[R0]], <4 x float> [[R4]], <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
; CHECK: shufflevector <8 x float> [[R04]], <8 x float> {{%\w+}}, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
; CHECK: shufflevector <8 x float> [[R04]], <8 x float> {{%\w+}}, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
; CHECK: store <8 x float>
define internal void @k.region.0(ptr addrspace(1) %p, ptr addrspace(1) %index, ptr addrspace(1) %out, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %from = getelementptr i32, ptr addrspace(1) %index, i64 %lid.0
  %n = load i32, ptr addrspace(1) %from, align 4
  %i = sext i32 %n to i64
  %at = getelementptr <4 x float>, ptr addrspace(1) %p, i64 %i
  %v = load <4 x float>, ptr addrspace(1) %at, align 16
  %x = extractelement <4 x float> %v, i64 0
  %y = extractelement <4 x float> %v, i64 1
  %z = fmul float %x, %y
  %to = getelementptr float, ptr addrspace(1) %out, i64 %lid.0
  store float %z, ptr addrspace(1) %to, align 4
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
