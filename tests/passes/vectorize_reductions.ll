; RUN: vectorize width=4
; A reduction of each work-item's own vector goes over its elements, in vectors of lanes.
declare i32 @llvm.vector.reduce.umax.v2i32(<2 x i32>)
declare float @llvm.vector.reduce.fadd.v2f32(float, <2 x float>)
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.all4(
; CHECK: call <4 x i32> @llvm.umax.v4i32(
; CHECK: fadd reassoc <4 x float>
; CHECK: fadd reassoc <4 x float>
; CHECK-NOT: vector.reduce
; CHECK: ret void
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %p = getelementptr <2 x i32>, ptr addrspace(1) %a, i64 %lid.0
  %v = load <2 x i32>, ptr addrspace(1) %p
  %m = call i32 @llvm.vector.reduce.umax.v2i32(<2 x i32> %v)
  %f = bitcast <2 x i32> %v to <2 x float>
  %s = call reassoc float @llvm.vector.reduce.fadd.v2f32(float 1.0, <2 x float> %f)
  %i = fptoui float %s to i32
  %x = add i32 %i, %m
  %q = getelementptr i32, ptr addrspace(1) %c, i64 %lid.0
  store i32 %x, ptr addrspace(1) %q
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
