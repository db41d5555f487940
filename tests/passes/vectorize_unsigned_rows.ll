; RUN: vectorize width=4
; A row for each lane, behind a place in 32 bits that may wrap (y * n + k of uint): whether it does in a group, or comes to
; the upper half, is looked at once. Lanes then read blocks of their rows as if the place were a number with a sign.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1
declare void @b.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1
declare void @s.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.foreach(
; CHECK: call i1 @k.region.0.wraps0(
; CHECK-LABEL: define internal void @b.region.0.foreach(
; CHECK: call i1 @b.region.0.wraps0(
; CHECK-LABEL: define internal void @s.region.0.foreach(
; CHECK-NOT: call i1

; CHECK-LABEL: define internal i1 @k.region.0.wraps0(
; CHECK: %[[FIRST:.+]] = zext i32 %{{.+}} to i64
; CHECK: %[[LAST:.+]] = sub i64 %lsize.0, 1
; CHECK: mul i64 %[[LAST]], %{{.+}}
; CHECK: add i64 %{{.+}}, 4096
; CHECK: icmp ugt i64 %{{.+}}, 2147483647
; CHECK: ret i1

; CHECK-LABEL: define internal void @k.region.0.all4(
; CHECK: sext <4 x i32> %{{.+}} to <4 x i64>
; CHECK: @llvm.vector.reduce.umin.v4i64(
; CHECK: @llvm.masked.load.v4i32.p1(
; CHECK: @llvm.masked.load.v4i32.p1(
; CHECK: @llvm.masked.load.v4i32.p1(
; CHECK: @llvm.masked.load.v4i32.p1(
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %id = add i64 %gbase.0, %lid.0
  %y = trunc i64 %id to i32
  %row = mul i32 %n, %y
  br label %head
head:
  %k = phi i32 [ 0, %entry ], [ %next, %body ]
  %s = phi i32 [ 0, %entry ], [ %s1, %body ]
  %more = icmp ult i32 %k, %n
  br i1 %more, label %body, label %end
body:
  %sum = add i32 %row, %k
  %i = zext i32 %sum to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p
  %s1 = add i32 %s, %v
  %next = add i32 %k, 1
  br label %head
end:
  %q = getelementptr i32, ptr addrspace(1) %c, i64 %id
  store i32 %s, ptr addrspace(1) %q
  ret void
}

; So they do where the test is at the end of the loop.
; CHECK-LABEL: define internal void @b.region.0.all4(
; CHECK: @llvm.vector.reduce.umin.v4i64(
define internal void @b.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %id = add i64 %gbase.0, %lid.0
  %y = trunc i64 %id to i32
  %row = mul i32 %n, %y
  br label %body
body:
  %k = phi i32 [ 0, %entry ], [ %next, %body ]
  %s = phi i32 [ 0, %entry ], [ %s1, %body ]
  %sum = add i32 %row, %k
  %i = zext i32 %sum to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p
  %s1 = add i32 %s, %v
  %next = add i32 %k, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %body, label %end
end:
  %q = getelementptr i32, ptr addrspace(1) %c, i64 %id
  store i32 %s1, ptr addrspace(1) %q
  ret void
}

; A place that does not wrap, as numbers with a sign do not: nothing to look at.
; CHECK-LABEL: define internal void @s.region.0.all4(
; CHECK: @llvm.vector.reduce.umin.v4i64(
define internal void @s.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %id = add i64 %gbase.0, %lid.0
  %y = trunc i64 %id to i32
  %row = mul nsw i32 %n, %y
  br label %head
head:
  %k = phi i32 [ 0, %entry ], [ %next, %body ]
  %s = phi i32 [ 0, %entry ], [ %s1, %body ]
  %more = icmp slt i32 %k, %n
  br i1 %more, label %body, label %end
body:
  %sum = add nsw i32 %row, %k
  %i = sext i32 %sum to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p
  %s1 = add i32 %s, %v
  %next = add nuw nsw i32 %k, 1
  br label %head
end:
  %q = getelementptr i32, ptr addrspace(1) %c, i64 %id
  store i32 %s, ptr addrspace(1) %q
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
