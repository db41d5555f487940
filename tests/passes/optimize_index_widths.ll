; RUN: retarget,optimize
; LLVM 22 leaves out the check that an index of 4 bits does not wrap where it makes one for 32 bits: a loop with
; indices of two widths is kept from its vectorizer. One width is no danger, nor is one outside of addresses.
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define {{.*}}@two_widths(
; CHECK-NOT: load <
; CHECK-LABEL: define {{.*}}@one_width(
; CHECK: load <
; CHECK-LABEL: define {{.*}}@masked_value(
; CHECK: store <
; CHECK-LABEL: define {{.*}}@remainder(
; CHECK-NOT: load <
; CHECK-LABEL: define {{.*}}@signed_field(
; CHECK-NOT: load <
; CHECK-NOT: noimplicitfloat
define void @two_widths(ptr noalias %a, ptr noalias %b, i64 %base, i64 %len) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %id = add i64 %base, %i
  %low = and i64 %id, 15
  %pa = getelementptr inbounds i32, ptr %a, i64 %low
  %x = load i32, ptr %pa
  %narrow = trunc i64 %id to i32
  %wide = zext i32 %narrow to i64
  %pb = getelementptr inbounds i32, ptr %b, i64 %wide
  store i32 %x, ptr %pb
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %len
  br i1 %more, label %loop, label %done
done:
  ret void
}

define void @one_width(ptr noalias %a, ptr noalias %b, i64 %base, i64 %len) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %id = add i64 %base, %i
  %narrow = trunc i64 %id to i32
  %wide = zext i32 %narrow to i64
  %pa = getelementptr inbounds i32, ptr %a, i64 %wide
  %x = load i32, ptr %pa
  %pb = getelementptr inbounds i32, ptr %b, i64 %wide
  store i32 %x, ptr %pb
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %len
  br i1 %more, label %loop, label %done
done:
  ret void
}

define void @masked_value(ptr noalias %b, i64 %base, i64 %len) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %id = add i64 %base, %i
  %narrow = trunc i64 %id to i32
  %wide = zext i32 %narrow to i64
  %low = and i32 %narrow, 15
  %pb = getelementptr inbounds i32, ptr %b, i64 %wide
  store i32 %low, ptr %pb
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %len
  br i1 %more, label %loop, label %done
done:
  ret void
}

define void @remainder(ptr noalias %a, ptr noalias %b, i32 %base, i32 %len) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %id = add i32 %base, %i
  %low = urem i32 %id, 16
  %pa = getelementptr inbounds i32, ptr %a, i32 %low
  %x = load i32, ptr %pa
  %wide = zext i32 %id to i64
  %pb = getelementptr inbounds i32, ptr %b, i64 %wide
  store i32 %x, ptr %pb
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %len
  br i1 %more, label %loop, label %done
done:
  ret void
}

define void @signed_field(ptr noalias %a, ptr noalias %b, i32 %base, i32 %len) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %id = add i32 %base, %i
  %left = shl i32 %id, 28
  %low = ashr i32 %left, 28
  %far = sext i32 %low to i64
  %pa = getelementptr inbounds i32, ptr %a, i64 %far
  %x = load i32, ptr %pa
  %wide = sext i32 %id to i64
  %pb = getelementptr inbounds i32, ptr %b, i64 %wide
  store i32 %x, ptr %pb
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %len
  br i1 %more, label %loop, label %done
done:
  ret void
}
