; RUN: constant_offsets
; Constants that several addresses add to one index of 32 bits are added to the address. An index with one constant, a
; sum that may carry over, a signed index and vectors of addresses stay as they are.

define void @k(ptr addrspace(1) %p, i32 %n, <4 x i32> %v) {
  %row = shl i32 %n, 4
  %second = or disjoint i32 %row, 1
  %a = zext i32 %second to i64
  %to.a = getelementptr inbounds nuw float, ptr addrspace(1) %p, i64 %a
  store float 1.0, ptr addrspace(1) %to.a
  %last = or disjoint i32 %row, 15
  %b = zext i32 %last to i64
  %to.b = getelementptr float, ptr addrspace(1) %p, i64 %b
  store float 2.0, ptr addrspace(1) %to.b
  %half = shl i32 %n, 3
  %one = or disjoint i32 %half, 1
  %c = zext i32 %one to i64
  %to.c = getelementptr inbounds float, ptr addrspace(1) %p, i64 %c
  store float 3.0, ptr addrspace(1) %to.c
  %odd = or i32 %row, 17
  %d = zext i32 %odd to i64
  %to.d = getelementptr inbounds float, ptr addrspace(1) %p, i64 %d
  store float 4.0, ptr addrspace(1) %to.d
  %e = sext i32 %last to i64
  %to.e = getelementptr inbounds float, ptr addrspace(1) %p, i64 %e
  store float 5.0, ptr addrspace(1) %to.e
  ret void
}
; CHECK: [[A:%\w+]] = zext i32 %row to i64
; CHECK: [[ROW:%\w+]] = getelementptr inbounds nuw float, ptr addrspace(1) %p, i64 [[A]]
; CHECK: [[TO:%\w+]] = getelementptr inbounds nuw float, ptr addrspace(1) [[ROW]], i64 1
; CHECK: store float 1.0{{[0e+]*}}, ptr addrspace(1) [[TO]]
; CHECK: [[B:%\w+]] = zext i32 %row to i64
; CHECK: [[ROW2:%\w+]] = getelementptr float, ptr addrspace(1) %p, i64 [[B]]
; CHECK: [[TO2:%\w+]] = getelementptr float, ptr addrspace(1) [[ROW2]], i64 15
; CHECK: store float 2.0{{[0e+]*}}, ptr addrspace(1) [[TO2]]
; CHECK: %to.c = getelementptr inbounds float, ptr addrspace(1) %p, i64 %c
; CHECK: %to.d = getelementptr inbounds float, ptr addrspace(1) %p, i64 %d
; CHECK: %to.e = getelementptr inbounds float, ptr addrspace(1) %p, i64 %e
