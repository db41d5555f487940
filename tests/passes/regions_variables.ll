; RUN: work_items,local_memory,regions
; A loop with barriers as long as a variable in local memory says so: all work-items get the same of it where no region
; that reads it writes it, or an address that may be its own. What they write to other variables and arguments does not
; matter, and `volatile` is nothing to a group that runs on one thread.
@flag = internal addrspace(3) global i32 undef, align 4
@sums = internal addrspace(3) global [64 x i32] undef, align 4
declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

; CHECK-LABEL: define internal void @others.group(
; CHECK-NOT: varying
; CHECK-NOT: load i32, ptr %state
define spir_kernel void @others(ptr addrspace(3) %l) {
entry:
  %t = call i64 @_Z12get_local_idj(i32 0)
  %own = getelementptr i32, ptr addrspace(3) %l, i64 %t
  %sum = getelementptr i32, ptr addrspace(3) @sums, i64 %t
  br label %head
head:
  %more = load volatile i32, ptr addrspace(3) @flag
  %goes = icmp ne i32 %more, 0
  br i1 %goes, label %body, label %done
body:
  store i32 1, ptr addrspace(3) %own
  store i32 2, ptr addrspace(3) %sum
  call void @_Z7barrierj(i32 1)
  store i32 0, ptr addrspace(3) @flag
  call void @_Z7barrierj(i32 1)
  br label %head
done:
  ret void
}

; CHECK-LABEL: define internal i32 @same.region.1(
; CHECK: %state = load i32, ptr
define spir_kernel void @same() {
entry:
  %t = call i64 @_Z12get_local_idj(i32 0)
  br label %head
head:
  %more = load i32, ptr addrspace(3) @flag
  %goes = icmp ne i32 %more, 0
  br i1 %goes, label %body, label %other
body:
  %i = trunc i64 %t to i32
  store i32 %i, ptr addrspace(3) @flag
  call void @_Z7barrierj(i32 1)
  br label %head
other:
  call void @_Z7barrierj(i32 1)
  ret void
}
