; RUN: mask_logic bits=256
; Eight masks of 64 bits are two registers: they are put together as numbers, and what is masked gets them of its own
; width. Eight of 32 bits are one register, and stay as they are.

; CHECK-LABEL: define void @__clpy_kernel.k(
; CHECK: head:
; CHECK: %[[LIVE:.+]] = phi <8 x i64>
; CHECK: %one = icmp eq <8 x i64> %x, splat (i64 1)
; CHECK: %[[ONE:.+]] = sext <8 x i1> %one to <8 x i64>
; CHECK: %[[DONE:.+]] = and <8 x i64> %[[LIVE]], %[[ONE]]
; CHECK: %[[NARROW:.+]] = trunc <8 x i64> %[[DONE]] to <8 x i32>
; CHECK: %[[MASK:.+]] = icmp slt <8 x i32> %[[NARROW]], zeroinitializer
; CHECK: select <8 x i1> %[[MASK]], <8 x i32> %turns, <8 x i32> %steps
; CHECK: %[[NOT:.+]] = xor <8 x i64> %[[ONE]], splat (i64 -1)
; CHECK: %[[LEFT:.+]] = and <8 x i64> %[[LIVE]], %[[NOT]]
; CHECK: %[[GO:.+]] = icmp slt <8 x i64> %[[LEFT]], zeroinitializer
; CHECK: bitcast <8 x i1> %[[GO]] to i8
; CHECK-NOT: select <8 x i1> {{.*}}, <8 x i1>
define void @__clpy_kernel.k(ptr %a, ptr %o) {
entry:
  %start = load <8 x i64>, ptr %a
  br label %head
head:
  %live = phi <8 x i64> [ splat (i64 -1), %entry ], [ %next, %head ]
  %x = phi <8 x i64> [ %start, %entry ], [ %y, %head ]
  %steps = phi <8 x i32> [ zeroinitializer, %entry ], [ %found, %head ]
  %turns = phi <8 x i32> [ zeroinitializer, %entry ], [ %more, %head ]
  %here = icmp slt <8 x i64> %live, zeroinitializer
  %one = icmp eq <8 x i64> %x, splat (i64 1)
  %done = select <8 x i1> %here, <8 x i1> %one, <8 x i1> zeroinitializer
  %found = select <8 x i1> %done, <8 x i32> %turns, <8 x i32> %steps
  %other = xor <8 x i1> %one, splat (i1 true)
  %left = select <8 x i1> %here, <8 x i1> %other, <8 x i1> zeroinitializer
  %numbers = sext <8 x i1> %other to <8 x i64>
  %next = select <8 x i1> %here, <8 x i64> %numbers, <8 x i64> zeroinitializer
  %y = lshr <8 x i64> %x, splat (i64 1)
  %more = add <8 x i32> %turns, splat (i32 1)
  %bits = bitcast <8 x i1> %left to i8
  %none = icmp eq i8 %bits, 0
  br i1 %none, label %end, label %head
end:
  store <8 x i32> %found, ptr %o
  ret void
}

; CHECK-LABEL: define void @__clpy_kernel.narrow(
; CHECK: %both = and <8 x i1> %p, %q
; CHECK: select <8 x i1> %both
define void @__clpy_kernel.narrow(<8 x i32> %x, <8 x i32> %y, ptr %o) {
entry:
  %p = icmp slt <8 x i32> %x, splat (i32 3)
  %q = icmp slt <8 x i32> %y, splat (i32 4)
  %both = and <8 x i1> %p, %q
  %z = select <8 x i1> %both, <8 x i32> %x, <8 x i32> %y
  store <8 x i32> %z, ptr %o
  ret void
}

; CHECK-LABEL: define void @__clpy_kernel.either(
; CHECK: %[[P:.+]] = sext <8 x i1> %p to <8 x i64>
; CHECK: %[[Q:.+]] = sext <8 x i1> %q to <8 x i64>
; CHECK: %[[SUM:.+]] = or <8 x i64> %[[P]], %[[Q]]
; CHECK: %[[FLOATS:.+]] = trunc <8 x i64> %[[SUM]] to <8 x i32>
; CHECK: %[[STORED:.+]] = icmp slt <8 x i32> %[[FLOATS]], zeroinitializer
; CHECK: call void @llvm.masked.store.v8f32.p0(<8 x float> %f, ptr align 4 %o, <8 x i1> %[[STORED]])
define void @__clpy_kernel.either(<8 x double> %x, <8 x i64> %y, <8 x float> %f, ptr %o) {
entry:
  %p = fcmp olt <8 x double> %x, splat (double 3.0)
  %q = icmp slt <8 x i64> %y, splat (i64 4)
  %any = select <8 x i1> %p, <8 x i1> splat (i1 true), <8 x i1> %q
  call void @llvm.masked.store.v8f32.p0(<8 x float> %f, ptr align 4 %o, <8 x i1> %any)
  ret void
}
