; RUN: distinct
; Buffers of a kernel with a loop that writes one and reads another are taken to be distinct. A kernel that reads addresses from memory, or has no such loop, is left alone.

; CHECK-LABEL: define spir_kernel void @sums(ptr addrspace(1) noalias %c, ptr addrspace(1) noalias %a, ptr addrspace(1) %unused, i32 %n)
define spir_kernel void @sums(ptr addrspace(1) %c, ptr addrspace(1) %a, ptr addrspace(1) %unused, i32 %n) {
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

; CHECK-LABEL: define spir_kernel void @waits(ptr addrspace(1) %c, ptr addrspace(1) %a, ptr addrspace(3) %t, i32 %n)
define spir_kernel void @waits(ptr addrspace(1) %c, ptr addrspace(1) %a, ptr addrspace(3) %t, i32 %n) {
entry:
  br label %loop
loop:
  %j = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %a, i32 %j
  %x = load i32, ptr addrspace(1) %at
  store i32 %x, ptr addrspace(1) %c
  call void @_Z7barrierj(i32 1)
  %next = add i32 %j, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: define spir_kernel void @lists(ptr addrspace(1) %c, ptr addrspace(1) %a, i32 %n)
define spir_kernel void @lists(ptr addrspace(1) %c, ptr addrspace(1) %a, i32 %n) {
entry:
  br label %loop
loop:
  %j = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr ptr addrspace(1), ptr addrspace(1) %a, i32 %j
  %p = load ptr addrspace(1), ptr addrspace(1) %at
  %x = load i32, ptr addrspace(1) %p
  store i32 %x, ptr addrspace(1) %c
  %next = add i32 %j, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: define spir_kernel void @straight(ptr addrspace(1) %c, ptr addrspace(1) %a)
define spir_kernel void @straight(ptr addrspace(1) %c, ptr addrspace(1) %a) {
  %id = call i64 @_Z13get_global_idj(i32 0)
  %at = getelementptr i32, ptr addrspace(1) %a, i64 %id
  %x = load i32, ptr addrspace(1) %at
  store i32 %x, ptr addrspace(1) %c
  ret void
}

; Straight code that reads the same places again, as it writes others in between.
; CHECK-LABEL: define spir_kernel void @columns(ptr addrspace(1) noalias %c, ptr addrspace(1) noalias %a)
define spir_kernel void @columns(ptr addrspace(1) %c, ptr addrspace(1) %a) {
  %x0 = load double, ptr addrspace(1) %a
  store double %x0, ptr addrspace(1) %c
  %c1 = getelementptr double, ptr addrspace(1) %c, i64 100
  %x1 = load double, ptr addrspace(1) %a
  store double %x1, ptr addrspace(1) %c1
  %c2 = getelementptr double, ptr addrspace(1) %c, i64 200
  %x2 = load double, ptr addrspace(1) %a
  store double %x2, ptr addrspace(1) %c2
  %c3 = getelementptr double, ptr addrspace(1) %c, i64 300
  %x3 = load double, ptr addrspace(1) %a
  store double %x3, ptr addrspace(1) %c3
  %c4 = getelementptr double, ptr addrspace(1) %c, i64 400
  %x4 = load double, ptr addrspace(1) %a
  store double %x4, ptr addrspace(1) %c4
  ret void
}

; CHECK-LABEL: define spir_kernel void @once(ptr addrspace(1) %c, ptr addrspace(1) %a)
define spir_kernel void @once(ptr addrspace(1) %c, ptr addrspace(1) %a) {
  %id = call i64 @_Z13get_global_idj(i32 0)
  %a0 = getelementptr double, ptr addrspace(1) %a, i64 %id
  %x0 = load double, ptr addrspace(1) %a0
  store double %x0, ptr addrspace(1) %c
  %a1 = getelementptr double, ptr addrspace(1) %a0, i64 1
  %x1 = load double, ptr addrspace(1) %a1
  %c1 = getelementptr double, ptr addrspace(1) %c, i64 1
  store double %x1, ptr addrspace(1) %c1
  ret void
}

; What all work-items of a group read may be read once for them.
; CHECK-LABEL: define spir_kernel void @same(ptr addrspace(1) noalias %c, ptr addrspace(1) noalias %a)
define spir_kernel void @same(ptr addrspace(1) %c, ptr addrspace(1) %a) {
  %id = call i64 @_Z13get_global_idj(i32 0)
  %group = call i64 @_Z12get_group_idj(i32 0)
  %a0 = getelementptr double, ptr addrspace(1) %a, i64 %group
  %x0 = load double, ptr addrspace(1) %a0
  %c0 = getelementptr double, ptr addrspace(1) %c, i64 %id
  store double %x0, ptr addrspace(1) %c0
  ret void
}

; CHECK: "clpy-distinct"="0,1,2"
declare void @_Z7barrierj(i32)
declare i64 @_Z13get_global_idj(i32)
declare i64 @_Z12get_group_idj(i32)
