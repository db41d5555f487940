; RUN: spinning
; A kernel waits for other work-groups where nothing but what a loop sees in memory ends it, and it writes nothing there. A sum by compare and exchange, a lock, a list of tasks and a loop with a limit of its own are none of that.


; CHECK-LABEL: define spir_kernel void @flag(ptr addrspace(1) %p) #0 {
define spir_kernel void @flag(ptr addrspace(1) %p) {
entry:
  br label %loop
loop:
  %seen = atomicrmw volatile add ptr addrspace(1) %p, i32 0 monotonic
  %none = icmp eq i32 %seen, 0
  br i1 %none, label %loop, label %end
end:
  store i32 2, ptr addrspace(1) %p
  ret void
}

; CHECK-LABEL: define spir_kernel void @volatile(ptr addrspace(1) %p, i32 %goal) #0 {
define spir_kernel void @volatile(ptr addrspace(1) %p, i32 %goal) {
entry:
  br label %loop
loop:
  %seen = load volatile i32, ptr addrspace(1) %p
  %there = icmp eq i32 %seen, %goal
  br i1 %there, label %end, label %loop
end:
  ret void
}

; CHECK-LABEL: define spir_kernel void @sum(ptr addrspace(1) %p) {
define spir_kernel void @sum(ptr addrspace(1) %p) {
entry:
  br label %loop
loop:
  %old = load volatile i32, ptr addrspace(1) %p
  %new = add i32 %old, 3
  %pair = cmpxchg volatile ptr addrspace(1) %p, i32 %old, i32 %new monotonic monotonic
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %end, label %loop
end:
  ret void
}

; CHECK-LABEL: define spir_kernel void @lock(ptr addrspace(1) %p) {
define spir_kernel void @lock(ptr addrspace(1) %p) {
entry:
  br label %loop
loop:
  %held = atomicrmw volatile xchg ptr addrspace(1) %p, i32 1 monotonic
  %free = icmp eq i32 %held, 0
  br i1 %free, label %end, label %loop
end:
  ret void
}

; CHECK-LABEL: define spir_kernel void @tasks(ptr addrspace(1) %p, ptr addrspace(1) %out, i32 %n) {
define spir_kernel void @tasks(ptr addrspace(1) %p, ptr addrspace(1) %out, i32 %n) {
entry:
  br label %loop
loop:
  %task = atomicrmw volatile add ptr addrspace(1) %p, i32 1 monotonic
  %more = icmp slt i32 %task, %n
  br i1 %more, label %do, label %end
do:
  %at = getelementptr i32, ptr addrspace(1) %out, i32 %task
  store i32 %task, ptr addrspace(1) %at
  br label %loop
end:
  ret void
}

; CHECK-LABEL: define spir_kernel void @limit(ptr addrspace(1) %p, i32 %n) {
define spir_kernel void @limit(ptr addrspace(1) %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %again ]
  %seen = load volatile i32, ptr addrspace(1) %p
  %there = icmp ne i32 %seen, 0
  br i1 %there, label %end, label %again
again:
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK: attributes #0 = { "clpy-spins" }
