; RUN: image_formats formats=0:0x10b4:0x10de:8,2:0:0x12:0
; What is known of an image stands in place of what its descriptor says; what reads any format is let in, and its loop over
; channels goes. Loops of the kernel stay loops, with what is said of them. A sampler is a number.
; CHECK-LABEL: define spir_kernel void @k(
; CHECK-NOT: call {{.*}}@any(
; CHECK: load i32, ptr addrspace(2) {{.*}} !invariant.load
; CHECK: store i32 4276, ptr addrspace(1) %out
; CHECK: store volatile i32 18, ptr addrspace(1) %out
; CHECK: store i32 16, ptr addrspace(1)
; CHECK-NOT: store i32
; CHECK: br i1 {{.*}}, label {{.*}}, label {{.*}}, !llvm.loop [[LOOP:!\d+]]
; CHECK: [[LOOP]] = distinct !{[[LOOP]], [[MUST:!\d+]]}
; CHECK: [[MUST]] = !{!"llvm.loop.mustprogress"}
define spir_kernel void @k(ptr addrspace(2) %image, ptr addrspace(1) %out, i32 %sampler) {
entry:
  %large = getelementptr inbounds i8, ptr addrspace(2) %image, i64 60
  %is_large = load i32, ptr addrspace(2) %large
  %order = getelementptr inbounds i8, ptr addrspace(2) %image, i64 40
  %n = load i32, ptr addrspace(2) %order
  %c = icmp eq i32 %is_large, 0
  br i1 %c, label %loop, label %done

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %width = getelementptr inbounds i8, ptr addrspace(2) %image, i64 24
  %w = load i32, ptr addrspace(2) %width
  store volatile i32 %w, ptr addrspace(1) %out
  store i32 %n, ptr addrspace(1) %out
  store volatile i32 %sampler, ptr addrspace(1) %out
  call spir_func void @any(ptr addrspace(2) %image, ptr addrspace(1) %out)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 4
  br i1 %more, label %loop, label %done, !llvm.loop !0

done:
  ret void
}

define spir_func void @any(ptr addrspace(2) %view, ptr addrspace(1) %to) #0 {
entry:
  %bytes = getelementptr inbounds i8, ptr addrspace(2) %view, i64 48
  %size = load i32, ptr addrspace(2) %bytes
  br label %channel

channel:
  %i = phi i32 [ 0, %entry ], [ %next, %channel ]
  %sum = phi i32 [ 0, %entry ], [ %more, %channel ]
  %more = add i32 %sum, %size
  %next = add i32 %i, 1
  %go_on = icmp ult i32 %next, 2
  br i1 %go_on, label %channel, label %done, !llvm.loop !2

done:
  %place = getelementptr i32, ptr addrspace(1) %to, i64 1
  store i32 %more, ptr addrspace(1) %place
  ret void
}

attributes #0 = { cold noinline }

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.mustprogress"}
!2 = distinct !{!2, !3}
!3 = !{!"llvm.loop.unroll.disable"}
