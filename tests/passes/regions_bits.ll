; RUN: work_items,regions
; A condition that waits at a barrier takes a byte per work-item in context memory: a vector of bits would be packed.
declare void @_Z7barrierj(i32) convergent
declare i64 @_Z12get_local_idj(i32)

; CHECK-LABEL: define internal void @k.region.0(
; CHECK: [[BYTE:%\w+]] = zext i1 %odd to i8
; CHECK: store i8 [[BYTE]], ptr
; CHECK: [[BYTES:%\w+]] = zext <3 x i1> %bits to <3 x i8>
; CHECK: store <3 x i8> [[BYTES]], ptr {{.*}}, align 4
; CHECK-LABEL: define internal void @k.region.1(
; CHECK-NOT: load i1
; CHECK: trunc {{.*}} to
; CHECK: ret void
define spir_kernel void @k(ptr addrspace(1) %o, <3 x i32> %v) {
  %l = call i64 @_Z12get_local_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %o, i64 %l
  %x = load volatile i32, ptr addrspace(1) %p
  %odd = trunc i32 %x to i1
  %w = insertelement <3 x i32> %v, i32 %x, i32 0
  %bits = icmp ult <3 x i32> %w, splat (i32 9)
  call void @_Z7barrierj(i32 1)
  %r = select i1 %odd, i32 1, i32 2
  %b = select <3 x i1> %bits, <3 x i32> %v, <3 x i32> zeroinitializer
  store i32 %r, ptr addrspace(1) %p
  store <3 x i32> %b, ptr addrspace(1) %o
  ret void
}
