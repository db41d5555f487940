; RUN: vectorize width=0 bits=512
; Lanes that each write along a row, whose pitch is an argument: for pitches that are, but for 8 bytes, multiples of 4 KiB
; 8 lanes at a time, not 16, as all lines have one slot of a cache then; for those of 1 KiB 16, not 64, and so on. With
; one row more in the loop 4 lanes, where the pitch is a multiple of 2 KiB. With three rows even 4 lanes have too many
; lines for a slot: one work-item after the other. Where all rows are read in blocks,
; or written beside a loop, whose turns are many more, nobody looks.
declare void @one.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1
declare void @two.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #3
declare void @three.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #9
declare void @read.region.0.foreach(ptr addrspace(1) noalias, ptr addrspace(1) noalias, i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #5
declare void @around.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #7

; CHECK-LABEL: define internal void @one.region.0.foreach(
; CHECK: %[[P:.+]] = freeze i32 %2
; CHECK: %[[WIDE:.+]] = sext i32 %[[P]] to i64
; CHECK: %[[BYTES:.+]] = mul i64 %[[WIDE]], 4
; CHECK: %[[PITCH:.+]] = add i64 0, %[[BYTES]]
; CHECK: %[[ABOVE:.+]] = add i64 %[[PITCH]], 8
; CHECK: %[[BESIDE:.+]] = and i64 %[[ABOVE]], 1023
; CHECK: %[[NEAR:.+]] = icmp ule i64 %[[BESIDE]], 16
; CHECK: %[[FAR:.+]] = icmp uge i64 %[[ABOVE]], 1024
; CHECK: %[[BAD:.+]] = and i1 %[[NEAR]], %[[FAR]]
; CHECK: %[[END:.+]] = select i1 %[[BAD]], i64 0, i64 %{{.+}}
; CHECK: and i64 {{.+}}, 4095
; CHECK: select i1 {{.+}}, i64 0, i64
; CHECK: sub i64 %[[END]], 0
; CHECK: call void @one.region.0.all64(
; CHECK: call void @one.region.0.all16(
; CHECK: call void @one.region.0.all8(
; CHECK: call void @one.region.0.some16(
define internal void @one.region.0(ptr addrspace(1) %x, ptr addrspace(1) %y, i32 %p, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %id = add nuw nsw i64 %gbase.0, %lid.0
  %i = trunc i64 %id to i32
  %row = mul nsw i32 %p, %i
  br label %loop
loop:
  %j = phi i32 [ 1, %entry ], [ %j1, %loop ]
  %at = add nsw i32 %row, %j
  %wide = sext i32 %at to i64
  %q = getelementptr float, ptr addrspace(1) %x, i64 %wide
  %v = load float, ptr addrspace(1) %q
  %before = getelementptr float, ptr addrspace(1) %q, i64 -1
  %w = load float, ptr addrspace(1) %before
  %ratio = fdiv float %w, %v
  %sum = fadd float %v, %ratio
  store float %sum, ptr addrspace(1) %q
  %j1 = add nuw nsw i32 %j, 1
  %more = icmp slt i32 %j1, %p
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: define internal void @two.region.0.foreach(
; CHECK: and i64 {{.+}}, 2047
; CHECK: icmp ule i64 {{.+}}, 32
; CHECK: call void @two.region.0.all16(
; CHECK: call void @two.region.0.all4(
; CHECK: call void @two.region.0.some16(
define internal void @two.region.0(ptr addrspace(1) %x, ptr addrspace(1) %y, i32 %p, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #2 {
entry:
  %id = add nuw nsw i64 %gbase.0, %lid.0
  %i = trunc i64 %id to i32
  %row = mul nsw i32 %p, %i
  br label %loop
loop:
  %j = phi i32 [ 1, %entry ], [ %j1, %loop ]
  %at = add nsw i32 %row, %j
  %wide = sext i32 %at to i64
  %q = getelementptr float, ptr addrspace(1) %x, i64 %wide
  %v = load float, ptr addrspace(1) %q
  %r = getelementptr float, ptr addrspace(1) %y, i64 %wide
  %w = load float, ptr addrspace(1) %r
  %ratio = fdiv float %v, %w
  %before = getelementptr float, ptr addrspace(1) %q, i64 -1
  %u = load float, ptr addrspace(1) %before
  %once = fdiv float %ratio, %u
  %sum = fadd float %once, %v
  store float %sum, ptr addrspace(1) %q
  %j1 = add nuw nsw i32 %j, 1
  %more = icmp slt i32 %j1, %p
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: define internal void @three.region.0.foreach(
; CHECK: and i64 {{.+}}, 1023
; CHECK: or i1
; CHECK: br i1 %odd{{.*}}, label %one.by.one, label %vectors
; CHECK: call void @three.region.0.all16(
; CHECK-NOT: call void @three.region.0.all4(
; CHECK: call void @three.region.0.some16(
; CHECK: call void @three.region.0(
define internal void @three.region.0(ptr addrspace(1) %x, ptr addrspace(1) %y, i32 %p, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #8 {
entry:
  %id = add nuw nsw i64 %gbase.0, %lid.0
  %i = trunc i64 %id to i32
  %row = mul nsw i32 %p, %i
  br label %loop
loop:
  %j = phi i32 [ 1, %entry ], [ %j1, %loop ]
  %at = add nsw i32 %row, %j
  %wide = sext i32 %at to i64
  %q = getelementptr float, ptr addrspace(1) %x, i64 %wide
  %v = load float, ptr addrspace(1) %q
  %r = getelementptr float, ptr addrspace(1) %y, i64 %wide
  %w = load float, ptr addrspace(1) %r
  %ratio = fdiv float %v, %w
  %before = getelementptr float, ptr addrspace(1) %q, i64 -1
  %u = load float, ptr addrspace(1) %before
  %once = fdiv float %ratio, %u
  %sum = fadd float %once, %v
  %twice = shl nsw i32 %row, 1
  %other = add nsw i32 %twice, %j
  %other.wide = sext i32 %other to i64
  %t = getelementptr float, ptr addrspace(1) %y, i64 %other.wide
  store float %once, ptr addrspace(1) %t
  store float %sum, ptr addrspace(1) %q
  %j1 = add nuw nsw i32 %j, 1
  %more = icmp slt i32 %j1, %p
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: define internal void @read.region.0.foreach(
; CHECK-NOT: freeze
; CHECK: call void @read.region.0.all16(
; CHECK-NOT: call void @read.region.0.all4(
; CHECK: call void @read.region.0.some16(
define internal void @read.region.0(ptr addrspace(1) noalias %x, ptr addrspace(1) noalias %y, i32 %p, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #4 {
entry:
  %id = add nuw nsw i64 %gbase.0, %lid.0
  %i = trunc i64 %id to i32
  %row = mul nsw i32 %p, %i
  br label %loop
loop:
  %j = phi i32 [ 1, %entry ], [ %j1, %loop ]
  %s = phi float [ 0.0, %entry ], [ %sum, %loop ]
  %at = add nsw i32 %row, %j
  %wide = sext i32 %at to i64
  %q = getelementptr float, ptr addrspace(1) %x, i64 %wide
  %v = load float, ptr addrspace(1) %q
  %sum = fadd float %s, %v
  %j1 = add nuw nsw i32 %j, 1
  %more = icmp slt i32 %j1, %p
  br i1 %more, label %loop, label %end
end:
  %o = getelementptr float, ptr addrspace(1) %y, i64 %id
  store float %sum, ptr addrspace(1) %o
  ret void
}

; CHECK-LABEL: define internal void @around.region.0.foreach(
; CHECK-NOT: freeze
; CHECK: call void @around.region.0.all16(
; CHECK-NOT: call void @around.region.0.all8(
; CHECK: call void @around.region.0.some16(
define internal void @around.region.0(ptr addrspace(1) %x, ptr addrspace(1) %y, i32 %p, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #6 {
entry:
  %id = add nuw nsw i64 %gbase.0, %lid.0
  %i = trunc i64 %id to i32
  %row = mul nsw i32 %p, %i
  br label %loop
loop:
  %j = phi i32 [ 1, %entry ], [ %j1, %out ]
  %at = add nsw i32 %row, %j
  %wide = sext i32 %at to i64
  %q = getelementptr float, ptr addrspace(1) %x, i64 %wide
  %v = load float, ptr addrspace(1) %q
  br label %inner
inner:
  %k = phi i64 [ 0, %loop ], [ %k1, %inner ]
  %s = phi float [ %v, %loop ], [ %s1, %inner ]
  %far = mul nuw nsw i64 %k, 4096
  %m = add nuw nsw i64 %far, %id
  %n = getelementptr float, ptr addrspace(1) %y, i64 %m
  %w = load float, ptr addrspace(1) %n
  %s1 = fadd float %s, %w
  %k1 = add nuw nsw i64 %k, 1
  %further = icmp ult i64 %k1, 500
  br i1 %further, label %inner, label %out
out:
  store float %s1, ptr addrspace(1) %q
  %j1 = add nuw nsw i32 %j, 1
  %more = icmp slt i32 %j1, %p
  br i1 %more, label %loop, label %end
end:
  ret void
}

attributes #0 = { "clpy-kernel"="one" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="one" "clpy-role"="foreach" }
attributes #2 = { "clpy-kernel"="two" "clpy-role"="region" "clpy-exits"="none" }
attributes #3 = { "clpy-kernel"="two" "clpy-role"="foreach" }
attributes #4 = { "clpy-kernel"="read" "clpy-role"="region" "clpy-exits"="none" }
attributes #5 = { "clpy-kernel"="read" "clpy-role"="foreach" }
attributes #6 = { "clpy-kernel"="around" "clpy-role"="region" "clpy-exits"="none" }
attributes #7 = { "clpy-kernel"="around" "clpy-role"="foreach" }
attributes #8 = { "clpy-kernel"="three" "clpy-role"="region" "clpy-exits"="none" }
attributes #9 = { "clpy-kernel"="three" "clpy-role"="foreach" }
