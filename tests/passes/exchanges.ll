; RUN: exchanges
; What a work-item exchanges in local memory is written in any case: two places that it has read, and those of the same
; numbers in an array as long. Not a single place, which others may set as well; nor what was read before a barrier; nor
; where the second array is shorter.
@keys = internal addrspace(3) global [64 x i32] undef
@values = internal addrspace(3) global [64 x i32] undef
@short = internal addrspace(3) global [32 x i32] undef

; CHECK-LABEL: define spir_kernel void @pairs(
; CHECK: %[[MORE:.+]] = icmp ugt i32 %a, %b
; CHECK: %[[C:.+]] = load i32
; CHECK: %[[D:.+]] = load i32
; CHECK: %[[A:.+]] = select i1 %[[MORE]], i32 %b, i32 %a
; CHECK: store i32 %[[A]], ptr addrspace(3) %p
; CHECK: %[[B:.+]] = select i1 %[[MORE]], i32 %a, i32 %b
; CHECK: store i32 %[[B]], ptr addrspace(3) %q
; CHECK: %[[E:.+]] = select i1 %[[MORE]], i32 %[[D]], i32 %[[C]]
; CHECK: store i32 %[[E]]
; CHECK: %[[F:.+]] = select i1 %[[MORE]], i32 %[[C]], i32 %[[D]]
; CHECK: store i32 %[[F]]
; CHECK: ret void
define spir_kernel void @pairs(i64 %i, i64 %j) {
entry:
  %p = getelementptr [64 x i32], ptr addrspace(3) @keys, i64 0, i64 %i
  %q = getelementptr [64 x i32], ptr addrspace(3) @keys, i64 0, i64 %j
  %a = load i32, ptr addrspace(3) %p
  %b = load i32, ptr addrspace(3) %q
  %more = icmp ugt i32 %a, %b
  br i1 %more, label %swap, label %end
swap:
  %v = getelementptr [64 x i32], ptr addrspace(3) @values, i64 0, i64 %i
  %w = getelementptr [64 x i32], ptr addrspace(3) @values, i64 0, i64 %j
  %c = load i32, ptr addrspace(3) %v
  %d = load i32, ptr addrspace(3) %w
  store i32 %b, ptr addrspace(3) %p
  store i32 %a, ptr addrspace(3) %q
  store i32 %d, ptr addrspace(3) %v
  store i32 %c, ptr addrspace(3) %w
  br label %end
end:
  ret void
}

; CHECK-LABEL: define spir_kernel void @one_place(
; CHECK: br i1
; CHECK: store i32 %b
define spir_kernel void @one_place(i64 %i, i32 %b) {
entry:
  %p = getelementptr [64 x i32], ptr addrspace(3) @keys, i64 0, i64 %i
  %a = load i32, ptr addrspace(3) %p
  %more = icmp ugt i32 %b, %a
  br i1 %more, label %set, label %end
set:
  store i32 %b, ptr addrspace(3) %p
  br label %end
end:
  ret void
}

; CHECK-LABEL: define spir_kernel void @too_short(
; CHECK: br i1
; CHECK: store i32 %b
; CHECK: store i32 %a
define spir_kernel void @too_short(i64 %i, i64 %j) {
entry:
  %p = getelementptr [64 x i32], ptr addrspace(3) @keys, i64 0, i64 %i
  %q = getelementptr [64 x i32], ptr addrspace(3) @keys, i64 0, i64 %j
  %a = load i32, ptr addrspace(3) %p
  %b = load i32, ptr addrspace(3) %q
  %more = icmp ugt i32 %a, %b
  br i1 %more, label %swap, label %end
swap:
  %v = getelementptr [32 x i32], ptr addrspace(3) @short, i64 0, i64 %i
  %c = load i32, ptr addrspace(3) %v
  store i32 %b, ptr addrspace(3) %p
  store i32 %a, ptr addrspace(3) %q
  store i32 %a, ptr addrspace(3) %v
  br label %end
end:
  ret void
}

; CHECK-LABEL: define spir_kernel void @waits(
; CHECK: br i1
; CHECK: store i32 %b
; CHECK: store i32 %a
define spir_kernel void @waits(i64 %i, i64 %j) {
entry:
  %p = getelementptr [64 x i32], ptr addrspace(3) @keys, i64 0, i64 %i
  %q = getelementptr [64 x i32], ptr addrspace(3) @keys, i64 0, i64 %j
  %a = load i32, ptr addrspace(3) %p
  %b = load i32, ptr addrspace(3) %q
  call void @_Z7barrierj(i32 1)
  %more = icmp ugt i32 %a, %b
  br i1 %more, label %swap, label %end
swap:
  store i32 %b, ptr addrspace(3) %p
  store i32 %a, ptr addrspace(3) %q
  br label %end
end:
  ret void
}

declare void @_Z7barrierj(i32)
