; RUN: restrict,work_items,regions
; Which of two barriers work-items come to is read from an argument of which nothing else is known to be the memory: what
; they write through others leaves it alone, so all go the same way, and what is uniform is kept once for the group. Where
; they write through the same argument, or through one that may be the same memory, each keeps its own.
declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

; CHECK-LABEL: define internal i32 @others.region.1(
; CHECK-NOT: %state = load i32, ptr
; CHECK-LABEL: define internal void @others.group(
; CHECK-LABEL: define internal i32 @same.region.1(
; CHECK: %state = load i32, ptr
; CHECK-LABEL: define internal i32 @unknown.region.1(
; CHECK: %state = load i32, ptr
define spir_kernel void @others(ptr addrspace(1) %out, ptr addrspace(1) noalias %ways, i32 %n) {
entry:
  %t = call i64 @_Z12get_local_idj(i32 0)
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %i.next, %next ]
  %i.next = add i32 %i, 1
  %goes = icmp ult i32 %i, %n
  br i1 %goes, label %body, label %done
body:
  %at = getelementptr i32, ptr addrspace(1) %ways, i32 %i
  %way = load i32, ptr addrspace(1) %at
  %own = getelementptr i32, ptr addrspace(1) %out, i64 %t
  store i32 %way, ptr addrspace(1) %own
  %is = icmp eq i32 %way, 0
  br i1 %is, label %first, label %second
first:
  call void @_Z7barrierj(i32 1)
  br label %next
second:
  call void @_Z7barrierj(i32 1)
  br label %next
next:
  br label %head
done:
  ret void
}

define spir_kernel void @same(ptr addrspace(1) noalias %ways, i32 %n) {
entry:
  %t = call i64 @_Z12get_local_idj(i32 0)
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %i.next, %next ]
  %i.next = add i32 %i, 1
  %goes = icmp ult i32 %i, %n
  br i1 %goes, label %body, label %done
body:
  %at = getelementptr i32, ptr addrspace(1) %ways, i32 %i
  %way = load i32, ptr addrspace(1) %at
  %own = getelementptr i32, ptr addrspace(1) %ways, i64 %t
  store i32 %way, ptr addrspace(1) %own
  %is = icmp eq i32 %way, 0
  br i1 %is, label %first, label %second
first:
  call void @_Z7barrierj(i32 1)
  br label %next
second:
  call void @_Z7barrierj(i32 1)
  br label %next
next:
  br label %head
done:
  ret void
}

define spir_kernel void @unknown(ptr addrspace(1) %out, ptr addrspace(1) %ways, i32 %n) {
entry:
  %t = call i64 @_Z12get_local_idj(i32 0)
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %i.next, %next ]
  %i.next = add i32 %i, 1
  %goes = icmp ult i32 %i, %n
  br i1 %goes, label %body, label %done
body:
  %at = getelementptr i32, ptr addrspace(1) %ways, i32 %i
  %way = load i32, ptr addrspace(1) %at
  %own = getelementptr i32, ptr addrspace(1) %out, i64 %t
  store i32 %way, ptr addrspace(1) %own
  %is = icmp eq i32 %way, 0
  br i1 %is, label %first, label %second
first:
  call void @_Z7barrierj(i32 1)
  br label %next
second:
  call void @_Z7barrierj(i32 1)
  br label %next
next:
  br label %head
done:
  ret void
}
