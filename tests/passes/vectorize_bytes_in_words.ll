; RUN: vectorize width=8
; Four bytes of a lane that lie side by side are masked as a word: processors before AVX-512 mask no bytes, and LLVM has
; a branch for each then. An undefined byte must not take its neighbours along.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.some8(
; CHECK: [[WORDS:%\w+]] = call <8 x i32> @llvm.masked.load.v8i32.p1(ptr addrspace(1) align 4 {{%\w+}}, <8 x i1> {{%\w+}}, <8 x i32> poison)
; CHECK: bitcast <8 x i32> [[WORDS]] to <32 x i8>
; CHECK: [[FROZEN:%\w+]] = freeze <32 x i8>
; CHECK: [[STORED:%\w+]] = bitcast <32 x i8> [[FROZEN]] to <8 x i32>
; CHECK: call void @llvm.masked.store.v8i32.p1(<8 x i32> [[STORED]], ptr addrspace(1) align 4
; CHECK-NOT: v32i8
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %r, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %pa = getelementptr <4 x i8>, ptr addrspace(1) %a, i64 %lid.0
  %v = load <4 x i8>, ptr addrspace(1) %pa, align 4
  %w = add <4 x i8> %v, splat (i8 1)
  %pc = getelementptr <4 x i8>, ptr addrspace(1) %c, i64 %lid.0
  store <4 x i8> %w, ptr addrspace(1) %pc, align 4
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
