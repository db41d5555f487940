; RUN: vectorize width=4
; A private array lies element by element across the lanes: a uniform index is a vector access, under a mask too. The
; copy of a structure is spelled out, and read and written as whole vectors.
declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.all4(
; CHECK: alloca [4 x [8 x i32]], align 64
; CHECK-NOT: gather
; CHECK-NOT: scatter
; CHECK-NOT: memcpy
; CHECK: ret void
; CHECK-LABEL: define internal void @k.region.0.some4(
; CHECK: @llvm.masked.store.v4i32.p0({{.*}} %active
; CHECK: @llvm.masked.load.v4i32.p0({{.*}} %active
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %t = alloca [8 x i32]
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid.0
  %v = load i32, ptr addrspace(1) %p
  %index = zext i32 %n to i64
  %e = getelementptr [8 x i32], ptr %t, i64 0, i64 %index
  store i32 %v, ptr %e
  %e3 = getelementptr [8 x i32], ptr %t, i64 0, i64 3
  %x = load i32, ptr %e3
  %q = getelementptr i32, ptr addrspace(1) %c, i64 %lid.0
  store i32 %x, ptr addrspace(1) %q
  %s = getelementptr i8, ptr addrspace(1) %a, i64 4000
  %from = getelementptr { i32, i32 }, ptr addrspace(1) %s, i64 %lid.0
  %d = getelementptr i8, ptr addrspace(1) %c, i64 4000
  %to = getelementptr { i32, i32 }, ptr addrspace(1) %d, i64 %lid.0
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) align 4 %to, ptr addrspace(1) align 4 %from, i64 8, i1 false)
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
