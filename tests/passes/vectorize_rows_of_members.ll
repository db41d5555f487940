; RUN: vectorize width=0 bits=512
; Work-items that walk along rows of structures: LLVM's vectors of turns write all members at once, and two rows of one
; array at a time, so that work-items go one after the other. Where a member is left out there are no such vectors.
declare void @all.region.0.foreach(ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1
declare void @some.region.0.foreach(ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #3

; CHECK-NOT: define {{.*}}@all.region.0.all
; CHECK: define internal void @some.region.0.all
define internal void @all.region.0(ptr addrspace(1) %x, i64 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %id = add nuw nsw i64 %gbase.0, %lid.0
  %row = getelementptr [1000 x [2 x double]], ptr addrspace(1) %x, i64 %id
  %other = getelementptr [1000 x [2 x double]], ptr addrspace(1) %x, i64 %n
  br label %loop
loop:
  %j = phi i64 [ 1, %entry ], [ %j1, %loop ]
  %p = getelementptr [2 x double], ptr addrspace(1) %row, i64 %j
  %q = getelementptr i8, ptr addrspace(1) %p, i64 8
  %r = getelementptr [2 x double], ptr addrspace(1) %other, i64 %j
  %s = getelementptr i8, ptr addrspace(1) %r, i64 8
  %v = load double, ptr addrspace(1) %r
  %w = load double, ptr addrspace(1) %s
  %a = fadd double %v, %w
  store double %a, ptr addrspace(1) %p
  store double %v, ptr addrspace(1) %q
  %j1 = add nuw nsw i64 %j, 1
  %more = icmp ult i64 %j1, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

define internal void @some.region.0(ptr addrspace(1) %x, i64 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #2 {
entry:
  %id = add nuw nsw i64 %gbase.0, %lid.0
  %row = getelementptr [1000 x [2 x double]], ptr addrspace(1) %x, i64 %id
  %other = getelementptr [1000 x [2 x double]], ptr addrspace(1) %x, i64 %n
  br label %loop
loop:
  %j = phi i64 [ 1, %entry ], [ %j1, %loop ]
  %p = getelementptr [2 x double], ptr addrspace(1) %row, i64 %j
  %q = getelementptr i8, ptr addrspace(1) %p, i64 8
  %r = getelementptr [2 x double], ptr addrspace(1) %other, i64 %j
  %s = getelementptr i8, ptr addrspace(1) %r, i64 8
  %v = load double, ptr addrspace(1) %r
  %w = load double, ptr addrspace(1) %s
  %a = fadd double %v, %w
  store double %a, ptr addrspace(1) %p
  %j1 = add nuw nsw i64 %j, 1
  %more = icmp ult i64 %j1, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

attributes #0 = { "clpy-kernel"="all" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="all" "clpy-role"="foreach" }
attributes #2 = { "clpy-kernel"="some" "clpy-role"="region" "clpy-exits"="none" }
attributes #3 = { "clpy-kernel"="some" "clpy-role"="foreach" }
