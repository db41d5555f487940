; RUN: accumulators
; A sum in memory is a value in the loop where its argument is distinct, and stays in memory where what is read may be it.

; CHECK-LABEL: define spir_kernel void @sums(
; CHECK: %[[OLD:.+]] = load i32, ptr addrspace(1) %c
; CHECK: loop:
; CHECK: phi i32 [ %[[OLD]],
; CHECK-NOT: store
; CHECK: br i1
; CHECK: store i32
; CHECK: ret void
define spir_kernel void @sums(ptr addrspace(1) noalias %c, ptr addrspace(1) %a, i32 %n) {
entry:
  br label %loop
loop:
  %j = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %a, i32 %j
  %x = load i32, ptr addrspace(1) %at
  %old = load i32, ptr addrspace(1) %c
  %new = add i32 %old, %x
  store i32 %new, ptr addrspace(1) %c
  %next = add i32 %j, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: define spir_kernel void @from_local(
; CHECK: loop:
; CHECK-NOT: store
; CHECK: br i1
; CHECK: store i32
; CHECK: ret void
define spir_kernel void @from_local(ptr addrspace(1) %c, ptr addrspace(3) %a, i32 %n) {
entry:
  br label %loop
loop:
  %j = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr i32, ptr addrspace(3) %a, i32 %j
  %x = load i32, ptr addrspace(3) %at
  %old = load i32, ptr addrspace(1) %c
  %new = add i32 %old, %x
  store i32 %new, ptr addrspace(1) %c
  %next = add i32 %j, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: define spir_kernel void @waits(
; CHECK: loop:
; CHECK: store i32
; CHECK: call void @_Z7barrierj
; CHECK: br i1
define spir_kernel void @waits(ptr addrspace(1) %c, ptr addrspace(3) %a, i32 %n) "clpy-distinct"="0" {
entry:
  br label %loop
loop:
  %j = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr i32, ptr addrspace(3) %a, i32 %j
  %x = load i32, ptr addrspace(3) %at
  %old = load i32, ptr addrspace(1) %c
  %new = add i32 %old, %x
  store i32 %new, ptr addrspace(1) %c
  call void @_Z7barrierj(i32 1)
  %next = add i32 %j, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: define spir_kernel void @may_be_read(
; CHECK: loop:
; CHECK: store i32
; CHECK: br i1
define spir_kernel void @may_be_read(ptr addrspace(1) %c, ptr addrspace(1) %a, i32 %n) {
entry:
  br label %loop
loop:
  %j = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %a, i32 %j
  %x = load i32, ptr addrspace(1) %at
  %old = load i32, ptr addrspace(1) %c
  %new = add i32 %old, %x
  store i32 %new, ptr addrspace(1) %c
  %next = add i32 %j, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

declare void @_Z7barrierj(i32)
