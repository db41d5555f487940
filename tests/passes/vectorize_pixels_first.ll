; RUN: vectorize bits=256 width=0 first
; Pixels of four words become columns by shuffles that are an instruction each, in code that is made again; under a mask,
; or where each lane has its own place, shared code moves them. What is gathered two words at a time, as its indices have
; 64 bits, makes columns by itself, so that LLVM sees which half nobody asks for.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.all8(
; CHECK: load <32 x float>
; CHECK-NOT: <i32 0, i32 4, i32 8, i32 12, i32 16, i32 20, i32 24, i32 28>
; CHECK: shufflevector <8 x float> {{.*}} <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
; CHECK: shufflevector <8 x float> {{.*}} <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
; CHECK: shufflevector <8 x float> {{.*}} <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
; CHECK: fdiv <8 x float>
; CHECK-NOT: masked.store
; CHECK: [[MASK:%[0-9]+]] = zext i8 {{.*}} to i32
; CHECK: call void @__clpy_library.pixels.write.8(ptr addrspace(1) {{.*}}, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, {{.*}}, i32 [[MASK]])
; CHECK: ret void
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %o, i64 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %p = getelementptr <4 x float>, ptr addrspace(1) %a, i64 %lid.0
  %v = load <4 x float>, ptr addrspace(1) %p
  %x = extractelement <4 x float> %v, i64 0
  %y = extractelement <4 x float> %v, i64 1
  %z = extractelement <4 x float> %v, i64 2
  %w = extractelement <4 x float> %v, i64 3
  %q = fdiv float %x, %y
  %r = fdiv float %z, %w
  %odd = fcmp ogt float %q, %r
  br i1 %odd, label %put, label %end
put:
  %s = fsub float %q, %r
  %m0 = insertelement <4 x float> poison, float %q, i64 0
  %m1 = insertelement <4 x float> %m0, float %r, i64 1
  %m2 = insertelement <4 x float> %m1, float %s, i64 2
  %m3 = insertelement <4 x float> %m2, float %q, i64 3
  %t = getelementptr <4 x float>, ptr addrspace(1) %o, i64 %lid.0
  store <4 x float> %m3, ptr addrspace(1) %t
  br label %end
end:
  ret void
}

declare void @l.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #3

; CHECK-LABEL: define internal void @l.region.0.all8(
; CHECK: [[XY:%[0-9]+]] = call <8 x i64> @llvm.masked.gather.v8i64
; CHECK: [[TWO:%[0-9]+]] = bitcast <8 x i64> [[XY]] to <16 x float>
; CHECK: shufflevector <16 x float> [[TWO]], <16 x float> {{.*}}<i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
; CHECK: call void @llvm.masked.store.v8f32
; CHECK: ret void
define internal void @l.region.0(ptr addrspace(1) %a, ptr addrspace(1) %o, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #2 {
entry:
  %q = getelementptr float, ptr addrspace(1) %o, i64 %lid.0
  %f = load float, ptr addrspace(1) %q
  %put = fcmp ogt float %f, 0.0
  br i1 %put, label %look, label %end
look:
  %n = fptosi float %f to i64
  %p = getelementptr <4 x float>, ptr addrspace(1) %a, i64 %n
  %v = load <4 x float>, ptr addrspace(1) %p
  %x = extractelement <4 x float> %v, i64 0
  store float %x, ptr addrspace(1) %q
  br label %end
end:
  ret void
}

declare void @m.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #5

; CHECK-LABEL: define internal void @m.region.0.all8(
; CHECK: [[FROM:%[0-9]+]] = load <8 x i32>
; CHECK: [[READ:%[0-9]+]] = call [4 x <8 x float>] @__clpy_library.pixels.read.8(ptr addrspace(1) %o, <8 x i32> [[FROM]], i32 -1)
; CHECK: [[X:%[0-9]+]] = extractvalue [4 x <8 x float>] [[READ]], 0
; CHECK: bitcast <8 x float> [[X]] to <8 x i32>
; CHECK: fdiv <8 x float>
; CHECK-NOT: scatter
; CHECK: call void @__clpy_library.pixels.write.8(ptr addrspace(1) %o, <8 x i32> [[FROM]], {{.*}}, i32 -1)
; CHECK: ret void
define internal void @m.region.0(ptr addrspace(1) %a, ptr addrspace(1) %o, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #4 {
  %from = getelementptr i32, ptr addrspace(1) %a, i64 %lid.0
  %n = load i32, ptr addrspace(1) %from
  %i = sext i32 %n to i64
  %p = getelementptr <4 x i32>, ptr addrspace(1) %o, i64 %i
  %v = load <4 x i32>, ptr addrspace(1) %p
  %x = extractelement <4 x i32> %v, i64 0
  %f = sitofp i32 %x to float
  %g = fdiv float 1.0, %f
  %h = fdiv float %g, 3.0
  %j = fadd float %h, %g
  %l = fdiv float %j, %h
  %y = fptosi float %l to i32
  %m = insertelement <4 x i32> %v, i32 %y, i64 1
  store <4 x i32> %m, ptr addrspace(1) %p
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
attributes #2 = { "clpy-kernel"="l" "clpy-role"="region" "clpy-exits"="none" }
attributes #3 = { "clpy-kernel"="l" "clpy-role"="foreach" }
attributes #4 = { "clpy-kernel"="m" "clpy-role"="region" "clpy-exits"="none" }
attributes #5 = { "clpy-kernel"="m" "clpy-role"="foreach" }
