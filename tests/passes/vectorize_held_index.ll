; RUN: vectorize width=4
; Whether lanes whose indices are held inside bounds are neighbours is asked of those that take part, and the lane in the
; middle says where they begin: at the ends the bounds hold lanes that a kernel's own condition often leaves out.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1
declare i64 @llvm.smax.i64(i64, i64)

; CHECK-LABEL: define internal void @k.region.0.some4(
; CHECK: [[HELD:%\w+]] = call <4 x i64> @llvm.smax.v4i64(
; CHECK: [[DISTANCE:%\w+]] = sub <4 x i64> [[HELD]], <i64 0, i64 1, i64 2, i64 3>
; CHECK: [[MIDDLE:%\w+]] = extractelement <4 x i64> [[DISTANCE]], i64 2
; CHECK: [[SAME:%\w+]] = icmp eq <4 x i64> [[DISTANCE]]
; CHECK: [[OUT:%\w+]] = xor <4 x i1> %active, splat (i1 true)
; CHECK: or <4 x i1> [[SAME]], [[OUT]]
; CHECK: [[PLACE:%\w+]] = extractelement <4 x i64> [[HELD]], i64 2
; CHECK: [[FIRST:%\w+]] = sub i64 [[PLACE]], 2
; CHECK: [[AT:%\w+]] = getelementptr i32, ptr addrspace(1) %a, i64 [[FIRST]]
; CHECK: call <4 x i32> @llvm.masked.load.v4i32.p1(ptr addrspace(1) align 4 [[AT]], <4 x i1> %active
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i64 %most, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %left = sub nsw i64 %lid.0, 1
  %held = call i64 @llvm.smax.i64(i64 %left, i64 %most)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %held
  %x = load i32, ptr addrspace(1) %p
  %q = getelementptr i32, ptr addrspace(1) %c, i64 %lid.0
  store i32 %x, ptr addrspace(1) %q
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
