; RUN: gather_addresses bits=512
; Addresses of gathers and scatters are one step from what the lanes share, in their own block, with indices as narrow as they were.

; CHECK-LABEL: define void @__clpy_kernel.k(
; CHECK: loop:
; CHECK-NEXT: phi
; CHECK-NEXT: %[[WIDE:.+]] = sext <16 x i32> %i to <16 x i64>
; CHECK-NEXT: %[[AT:.+]] = getelementptr float, ptr %a, <16 x i64> %[[WIDE]]
; CHECK-NEXT: @llvm.masked.gather.v16f32.v16p0(<16 x ptr> align 4 %[[AT]],
; CHECK: %[[BASE:.+]] = getelementptr i8, ptr %a, i64 4
; CHECK: %[[MEMBER:.+]] = getelementptr float, ptr %[[BASE]], <16 x i64>
; CHECK-NEXT: call void @llvm.masked.scatter.v16f32.v16p0(<16 x float> %x, <16 x ptr> align 4 %[[MEMBER]],
; addresses that are read from memory stay as they are, and so do those of bytes
; CHECK: @llvm.masked.gather.v16f32.v16p0(<16 x ptr> align 4 %there,
; CHECK-NEXT: @llvm.masked.gather.v16i8.v16p0(<16 x ptr> align 1 %p,
define void @__clpy_kernel.k(ptr %a, <16 x i32> %i, ptr %places) {
entry:
  %wide = sext <16 x i32> %i to <16 x i64>
  %p = getelementptr float, ptr %a, <16 x i64> %wide
  %there = load <16 x ptr>, ptr %places
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %more, %loop ]
  %x = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> align 4 %p, <16 x i1> splat (i1 true), <16 x float> poison)
  %q = getelementptr i8, <16 x ptr> %p, i64 4
  call void @llvm.masked.scatter.v16f32.v16p0(<16 x float> %x, <16 x ptr> align 4 %q, <16 x i1> splat (i1 true))
  %y = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> align 4 %there, <16 x i1> splat (i1 true), <16 x float> poison)
  %z = call <16 x i8> @llvm.masked.gather.v16i8.v16p0(<16 x ptr> align 1 %p, <16 x i1> splat (i1 true), <16 x i8> poison)
  store <16 x float> %y, ptr %places
  store <16 x i8> %z, ptr %places
  %more = add i32 %n, 1
  %again = icmp ult i32 %more, 9
  br i1 %again, label %loop, label %end
end:
  ret void
}
