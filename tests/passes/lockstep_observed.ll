; RUN: lockstep lockstep=32 observed
; The observer's calls get the mask of the lanes that are there, the branch also that of the lanes that take it.
declare void @k.region.0.foreach(ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1
declare void @clpy.observe.branch(i1, i32, i1)
declare void @clpy.observe.memory(i64, i32, i1)

; CHECK-LABEL: define internal void @k.region.0.foreach(
; CHECK: call void @clpy.observer.wave(ptr
; CHECK-NEXT: call void @k.region.0.row32(
; CHECK-LABEL: define internal void @k.region.0.row32(
; CHECK: [[TAKEN:%\w+]] = select <32 x i1> %active, <32 x i1> {{%\w+}}, <32 x i1> zeroinitializer
; CHECK-NEXT: [[BITS:%\w+]] = bitcast <32 x i1> [[TAKEN]] to i32
; CHECK-NEXT: [[WIDE:%\w+]] = zext i32 [[BITS]] to i64
; CHECK-NEXT: call void @clpy.observer.branch(ptr %launch, i32 0, i64 {{%\w+}}, i64 [[WIDE]])
; CHECK: br i1 {{%\w+}}, label %do, label %end
; CHECK: store <32 x i64> {{%\w+}}, ptr %addresses
; CHECK-NEXT: call void @clpy.observer.memory(ptr %launch, i32 1, i64 {{%\w+}}, ptr %addresses)
; CHECK-LABEL: define internal void @clpy.observer.branch(ptr %0, i32 %1, i64 %2, i64 %3)
; CHECK: [[SELF:%\w+]] = load ptr
; CHECK: call void {{%\w+}}(ptr {{%\w+}}, i32 %1, i64 %2, i64 %3)
define internal void @k.region.0(ptr addrspace(1) %a, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %odd = trunc i64 %lid.0 to i1
  call void @clpy.observe.branch(i1 %odd, i32 0, i1 true)
  br i1 %odd, label %do, label %end
do:
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %lid.0
  %at = ptrtoint ptr addrspace(1) %pa to i64
  call void @clpy.observe.memory(i64 %at, i32 1, i1 true)
  store i32 1, ptr addrspace(1) %pa
  br label %end
end:
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
