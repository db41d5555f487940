; RUN: vectorize width=16
; A group with less than a quarter of a vector's work-items has none left for the vectors: they run one by one.
declare void @k.region.0.foreach(ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

define internal void @k.region.0(ptr addrspace(1) %a, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %id = add i64 %gbase.0, %lid.0
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %id
  store i32 7, ptr addrspace(1) %p
  ret void
}

; CHECK-LABEL: define internal void @k.region.0.foreach(
; CHECK: [[FEW:%\d+]] = icmp ult i64 [[SIZE:%\d+]], 4
; CHECK: [[ODD:%\w+]] = or i1 %wraps, [[FEW]]
; CHECK: br i1 [[ODD]], label %one.by.one, label %vectors
; CHECK: one.by.one:
; CHECK: br label [[ONE:%plane\d+]]
; CHECK: vectors:
; CHECK: sub i64 [[SIZE]],
; CHECK: call void @k.region.0.all16(
; CHECK: icmp ult i64 {{.*}}, [[SIZE]]
; CHECK: call void @k.region.0.some16(
; CHECK: icmp ult i64 {{.*}}, [[SIZE]]
; CHECK: call void @k.region.0(ptr addrspace(1) {{.*}}, i64 %lid.0{{.*}}, i64 %lid.1{{.*}}, i64 %lid.2{{.*}}, i64 [[SIZE]],

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
