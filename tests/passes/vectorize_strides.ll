; RUN: vectorize width=4
; Members of an interleaved structure are read once, as whole vectors, and taken apart; all members that are written
; are one store; one member alone is a masked store, and its loads end where the last lane's element does.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.all4(
; CHECK: [[X:%\w+]] = load <4 x float>, ptr addrspace(1)
; CHECK: [[Y:%\w+]] = load <4 x float>, ptr addrspace(1)
; CHECK: shufflevector <4 x float> [[X]], <4 x float> [[Y]], <4 x i32> <i32 0, i32 2, i32 4, i32 6>
; CHECK: shufflevector <4 x float> [[X]], <4 x float> [[Y]], <4 x i32> <i32 1, i32 3, i32 5, i32 7>
; CHECK: shufflevector <4 x float> {{.*}} <4 x i32> <i32 0, i32 4, i32 1, i32 5>
; CHECK: shufflevector <4 x float> {{.*}} <4 x i32> <i32 2, i32 6, i32 3, i32 7>
; CHECK: store <4 x float>
; CHECK: store <4 x float>
; CHECK: load <4 x i32>
; CHECK: getelementptr i8, {{.*}} i64 12
; CHECK: load <4 x i32>
; CHECK: shufflevector {{.*}} <4 x i32> <i32 0, i32 2, i32 5, i32 7>
; CHECK: @llvm.masked.store.v4i32.p1({{.*}}, <4 x i1> <i1 true, i1 false, i1 true, i1 false>)
; CHECK: @llvm.masked.store.v4i32.p1({{.*}}, <4 x i1> <i1 true, i1 false, i1 true, i1 false>)
; CHECK: ret void
; CHECK-LABEL: define internal void @k.region.0.some4(
; CHECK: shufflevector <4 x i1> %active, <4 x i1> zeroinitializer, <4 x i32> <i32 0, i32 0, i32 1, i32 1>
; CHECK: @llvm.masked.load.v4f32.p1(
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %p = getelementptr { float, float }, ptr addrspace(1) %a, i64 %lid.0
  %x = load float, ptr addrspace(1) %p
  %py = getelementptr i8, ptr addrspace(1) %p, i64 4
  %y = load float, ptr addrspace(1) %py
  %q = getelementptr { float, float }, ptr addrspace(1) %c, i64 %lid.0
  store float %y, ptr addrspace(1) %q
  %twice = shl nuw nsw i64 %lid.0, 1
  %second = or disjoint i64 %twice, 1
  %q2 = getelementptr float, ptr addrspace(1) %c, i64 %second
  store float %x, ptr addrspace(1) %q2
  %far = getelementptr i8, ptr addrspace(1) %a, i64 4000
  %r = getelementptr { i32, i32 }, ptr addrspace(1) %far, i64 %lid.0
  %z = load i32, ptr addrspace(1) %r
  %s = getelementptr i8, ptr addrspace(1) %q, i64 8000
  store i32 %z, ptr addrspace(1) %s
  ret void
}

; A store that waits for the others of its group is written behind the first load of another one, which therefore must not
; read its place.
declare void @m.region.0.foreach(ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #3

; CHECK-LABEL: define internal void @m.region.0.all4(
; CHECK: load <4 x i32>
; CHECK: load <4 x i32>
; CHECK: store <4 x i32>
; CHECK: store <4 x i32>
; CHECK: load <4 x i32>
; CHECK: ret void
define internal void @m.region.0(ptr addrspace(1) %c, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #2 {
entry:
  %p = getelementptr { i32, i32 }, ptr addrspace(1) %c, i64 %lid.0
  %py = getelementptr i8, ptr addrspace(1) %p, i64 4
  store i32 7, ptr addrspace(1) %py
  %x = load i32, ptr addrspace(1) %p
  %x1 = add i32 %x, 1
  store i32 %x1, ptr addrspace(1) %p
  %y = load i32, ptr addrspace(1) %py
  %y1 = add i32 %y, 5
  store i32 %y1, ptr addrspace(1) %py
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
attributes #2 = { "clpy-kernel"="m" "clpy-role"="region" "clpy-exits"="none" }
attributes #3 = { "clpy-kernel"="m" "clpy-role"="foreach" }
