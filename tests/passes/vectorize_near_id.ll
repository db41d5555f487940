; RUN: vectorize width=4
; The sum of an id's lower half and a small constant does not wrap inside a vector, as the loop over vectors sees to it.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.all4(
; CHECK: load <4 x i8>
; CHECK: load <4 x i8>
; CHECK: gather
; CHECK: store <4 x i8>
; CHECK-LABEL: define internal void @k.region.0.some4(
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %id = add i64 %gbase.0, %lid.0
  %x = trunc i64 %id to i32
  %x1 = add i32 %x, 1
  %i1 = sext i32 %x1 to i64
  %p1 = getelementptr i8, ptr addrspace(1) %a, i64 %i1
  %v1 = load i8, ptr addrspace(1) %p1, align 1
  %x2 = add i32 %x, -2
  %i2 = sext i32 %x2 to i64
  %p2 = getelementptr i8, ptr addrspace(1) %a, i64 %i2
  %v2 = load i8, ptr addrspace(1) %p2, align 1
  %i3 = zext i32 %x2 to i64
  %p3 = getelementptr i8, ptr addrspace(1) %a, i64 %i3
  %v3 = load i8, ptr addrspace(1) %p3, align 1
  %s = add i8 %v1, %v2
  %s3 = add i8 %s, %v3
  %pc = getelementptr i8, ptr addrspace(1) %c, i64 %id
  store i8 %s3, ptr addrspace(1) %pc, align 1
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
