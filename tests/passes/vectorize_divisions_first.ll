; RUN: vectorize bits=256 width=0 first
; Several vectors at a time are made at once where that is short; divisions of whole numbers are not.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1
declare void @l.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #3

; CHECK: define internal void @k.region.0.all32(
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %o, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  br label %loop
loop:
  %j = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %s, %loop ]
  %at = add i64 %lid.0, %j
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %at
  %v = load i32, ptr addrspace(1) %p
  %u = getelementptr i32, ptr addrspace(1) %a, i64 %j
  %w = load i32, ptr addrspace(1) %u
  %x = mul i32 %v, %w
  %s = add i32 %sum, %x
  %next = add i64 %j, 1
  %more = icmp slt i64 %next, %items
  br i1 %more, label %loop, label %end
end:
  %q = getelementptr i32, ptr addrspace(1) %o, i64 %lid.0
  store i32 %s, ptr addrspace(1) %q
  ret void
}

; CHECK-NOT: @l.region.0.all32(
; CHECK: define internal void @l.region.0.all8(
define internal void @l.region.0(ptr addrspace(1) %a, ptr addrspace(1) %o, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #2 {
entry:
  br label %loop
loop:
  %j = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %s, %loop ]
  %at = add i64 %lid.0, %j
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %at
  %v = load i32, ptr addrspace(1) %p
  %u = getelementptr i32, ptr addrspace(1) %a, i64 %j
  %w = load i32, ptr addrspace(1) %u
  %x = mul i32 %v, %w
  %s = add i32 %sum, %x
  %next = add i64 %j, 1
  %more = icmp slt i64 %next, %items
  br i1 %more, label %loop, label %end
end:
  %d1 = sdiv i32 %s, %n
  %d2 = sdiv i32 %d1, %n
  %d3 = sdiv i32 %d2, %n
  %d4 = sdiv i32 %d3, %n
  %d5 = sdiv i32 %d4, %n
  %d6 = sdiv i32 %d5, %n
  %d7 = sdiv i32 %d6, %n
  %d8 = sdiv i32 %d7, %n
  %d9 = sdiv i32 %d8, %n
  %d10 = sdiv i32 %d9, %n
  %d11 = sdiv i32 %d10, %n
  %d12 = sdiv i32 %d11, %n
  %q = getelementptr i32, ptr addrspace(1) %o, i64 %lid.0
  store i32 %d12, ptr addrspace(1) %q
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
attributes #2 = { "clpy-kernel"="l" "clpy-role"="region" "clpy-exits"="none" }
attributes #3 = { "clpy-kernel"="l" "clpy-role"="foreach" }
