; RUN: lockstep lockstep=16
; A wavefront is 16 work-items that follow each other in the whole group. Where rows are whole wavefronts, local ids
; count along the lanes; else all of them differ. A side effect is a loop over the lanes that take part.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.foreach(
; CHECK: %rows = and i1
; CHECK: br i1 %rows, label %row, label %wave
; CHECK: call void @k.region.0.row16({{.*}} i64 %lid.0, i64 %lid.1, i64 %lid.2,
; CHECK: call void @k.region.0.wave16({{.*}} i64 %first, i64 0, i64 0,
; CHECK-LABEL: define internal void @k.region.0.row16(
; CHECK: %active = icmp ult <16 x i32>
; CHECK: call <16 x i32> @llvm.masked.load.v16i32.p1(
; CHECK: br i1 {{%\w+}}, label %do, label %end
; CHECK: llvm.cttz.i16
; CHECK: call {{.*}}@clpy.guarded
; CHECK-LABEL: define internal void @k.region.0.wave16(
; CHECK: fdiv <16 x float>
; CHECK: call <16 x i32> @llvm.masked.gather.v16i32.v16p1(
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %lid.0
  %x = load i32, ptr addrspace(1) %pa
  %odd = trunc i32 %x to i1
  br i1 %odd, label %do, label %end
do:
  %old = atomicrmw add ptr addrspace(1) %c, i32 %x seq_cst
  br label %end
end:
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
