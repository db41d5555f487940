; RUN: vectorize width=4 bits=256
; A test of the row beside one of the column: as one condition it would be a vector. As two, the row's is a branch, and the mask is the column's alone.
declare void @k.region.0.foreach(ptr addrspace(1), i32, i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1
declare void @m.region.0.foreach(ptr addrspace(1), i32, i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #5
declare void @l.region.0.foreach(ptr addrspace(1), i32, i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #3

; CHECK-LABEL: define internal void @k.region.0.all4(
; CHECK: %[[ROW:.+]] = icmp slt i32 %{{.+}}, %h
; CHECK: br i1 %[[ROW]], label
; CHECK: icmp slt <4 x i32>
; CHECK-NOT: shufflevector <4 x i1>
; CHECK: ret void
define internal void @k.region.0(ptr addrspace(1) %o, i32 %w, i32 %h, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %x = trunc nuw nsw i64 %lid.0 to i32
  %y = trunc nuw nsw i64 %lid.1 to i32
  %column = icmp slt i32 %x, %w
  %row = icmp slt i32 %y, %h
  %inside = and i1 %column, %row
  br i1 %inside, label %body, label %out
body:
  %to = getelementptr i32, ptr addrspace(1) %o, i64 %lid.0
  store i32 %y, ptr addrspace(1) %to, align 4
  br label %out
out:
  ret void
}

; A loop that ends by a counter, or by what a lane finds behind it: `||`, of which the second part need not be there.
; CHECK-LABEL: define internal void @l.region.0.all4(
; CHECK: %[[LAST:.+]] = icmp eq i32 %{{.+}}, %h
; CHECK: br i1 %[[LAST]], label
; CHECK: ret void
define internal void @l.region.0(ptr addrspace(1) %o, i32 %w, i32 %h, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #2 {
entry:
  %to = getelementptr i32, ptr addrspace(1) %o, i64 %lid.0
  %own = load i32, ptr addrspace(1) %to, align 4
  br label %head
head:
  %k = phi i32 [ 0, %entry ], [ %next, %body ]
  %v = phi i32 [ %own, %entry ], [ %more, %body ]
  %last = icmp eq i32 %k, %h
  %found = icmp sgt i32 %v, %w
  %ends = select i1 %last, i1 true, i1 %found
  br i1 %ends, label %end, label %body
body:
  %more = mul i32 %v, 3
  %next = add nuw nsw i32 %k, 1
  br label %head
end:
  %at = phi i32 [ %k, %head ]
  store i32 %at, ptr addrspace(1) %to, align 4
  ret void
}

; What is tested is a phi of the block that the branch goes back to.
; CHECK-LABEL: define internal void @m.region.0.all4(
; CHECK: %[[FIRST:.+]] = phi i1 [ true, %{{.+}} ], [ false, %{{.+}} ]
; CHECK: br i1 %[[FIRST]], label
; CHECK: ret void
define internal void @m.region.0(ptr addrspace(1) %o, i32 %w, i32 %h, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #4 {
entry:
  %to = getelementptr i32, ptr addrspace(1) %o, i64 %lid.0
  %own = load i32, ptr addrspace(1) %to, align 4
  br label %body
body:
  %first = phi i1 [ true, %entry ], [ false, %body ]
  %v = phi i32 [ %own, %entry ], [ %more, %body ]
  %more = mul i32 %v, 3
  %small = icmp slt i32 %more, %w
  %again = select i1 %first, i1 %small, i1 false
  br i1 %again, label %body, label %end
end:
  store i32 %more, ptr addrspace(1) %to, align 4
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
attributes #2 = { "clpy-kernel"="l" "clpy-role"="region" "clpy-exits"="none" }
attributes #3 = { "clpy-kernel"="l" "clpy-role"="foreach" }
attributes #4 = { "clpy-kernel"="m" "clpy-role"="region" "clpy-exits"="none" }
attributes #5 = { "clpy-kernel"="m" "clpy-role"="foreach" }
