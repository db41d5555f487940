; RUN: vectorize width=4
; A step to a neighbour that a border has not (`x > 0 ? p - 1 : p`) is the same for all lanes but for one: whether they are
; neighbours is looked at as for an index that is held inside bounds.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.all4(
; CHECK: icmp eq <4 x i64>
; CHECK: load <4 x i32>
; CHECK: @llvm.masked.gather.v4i32.v4p1(
; CHECK: icmp eq <4 x i64>
; CHECK: load <4 x i32>
; CHECK: @llvm.masked.gather.v4i32.v4p1(
; CHECK: store <4 x i32>
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i64 %most, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %first = icmp eq i64 %lid.0, 0
  %step = select i1 %first, i64 0, i64 -1
  %left = add i64 %lid.0, %step
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %left
  %x = load i32, ptr addrspace(1) %p
  %inside = icmp slt i64 %lid.0, %most
  %one = zext i1 %inside to i64
  %right = add i64 %one, %lid.0
  %r = getelementptr i32, ptr addrspace(1) %a, i64 %right
  %y = load i32, ptr addrspace(1) %r
  %sum = add i32 %x, %y
  %q = getelementptr i32, ptr addrspace(1) %c, i64 %lid.0
  store i32 %sum, ptr addrspace(1) %q
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
