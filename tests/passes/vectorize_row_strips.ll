; RUN: vectorize width=16
; A loop in which lanes walk along rows, a block's turns at a time: where so many are left, the rows are read without a look
; at their pages, halves of two in one register, and the columns go to the turns in registers. What is left gathers.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1
declare void @known.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1
declare void @b.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.all16(
; CHECK-NOT: alloca
; CHECK: %[[LEFT:.+]] = call i32 @llvm.ssub.sat.i32(i32 %n, i32 %
; CHECK: icmp sge i32 %[[LEFT]], 16
; CHECK: load <8 x float>, ptr addrspace(1) %{{.+}}, align 4
; CHECK: shufflevector <8 x float> %{{.+}}, <8 x float> %{{.+}}, <16 x i32> <i32 0, i32 1,
; CHECK: shufflevector <16 x float> %{{.+}}, <16 x float> %{{.+}}, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 4, i32 20,
; CHECK: fadd <16 x float>
; CHECK: fadd <16 x float>
; CHECK-NOT: gather
; CHECK: fadd <16 x float>
; CHECK: @llvm.masked.gather.v16f32.v16p1(

; The form with a mask is as it was.
; CHECK-LABEL: define internal void @k.region.0.some16(
; CHECK-NOT: @llvm.ssub.sat
; CHECK: @llvm.vector.reduce.umin.v16i64(
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %length = sext i32 %n to i64
  %row = mul i64 %lid.0, %length
  br label %head
head:
  %k = phi i32 [ 0, %entry ], [ %k1, %body ]
  %s = phi float [ 0.0, %entry ], [ %s1, %body ]
  %more = icmp slt i32 %k, %n
  br i1 %more, label %body, label %end
body:
  %wide = sext i32 %k to i64
  %i = add i64 %row, %wide
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %v = load float, ptr addrspace(1) %p
  %s1 = fadd float %s, %v
  %k1 = add nsw i32 %k, 1
  br label %head
end:
  %q = getelementptr float, ptr addrspace(1) %c, i64 %lid.0
  store float %s, ptr addrspace(1) %q
  ret void
}

; Strips of known number stay a loop: only that of a strip's turns is to be unrolled.
; CHECK-LABEL: define internal void @known.region.0.all16(
; CHECK: %[[K:.+]] = phi i32 [ 0, %{{.+}} ], [ %{{.+}}, %{{.+}} ]
; CHECK: load <8 x float>, ptr addrspace(1) %{{.+}}, align 4
; CHECK: add nsw i32 %[[K]], 1
; CHECK: fadd <16 x float>
; CHECK-LABEL: define internal void @known.region.0.some16(
define internal void @known.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %length = sext i32 160 to i64
  %row = mul i64 %lid.0, %length
  br label %head
head:
  %k = phi i32 [ 0, %entry ], [ %k1, %body ]
  %s = phi float [ 0.0, %entry ], [ %s1, %body ]
  %more = icmp slt i32 %k, 160
  br i1 %more, label %body, label %end
body:
  %wide = sext i32 %k to i64
  %i = add i64 %row, %wide
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %v = load float, ptr addrspace(1) %p
  %s1 = fadd float %s, %v
  %k1 = add nsw i32 %k, 1
  br label %head
end:
  %q = getelementptr float, ptr addrspace(1) %c, i64 %lid.0
  store float %s, ptr addrspace(1) %q
  ret void
}

; A test at the end leaves one turn for the loop as it was.
; CHECK-LABEL: define internal void @b.region.0.all16(
; CHECK: %[[DISTANCE:.+]] = sub i64 %{{.+}}, %
; CHECK: %[[BEHIND:.+]] = sub i64 %[[DISTANCE]], 1
; CHECK: icmp uge i64 %[[BEHIND]], 16
; CHECK: load <8 x float>, ptr addrspace(1) %{{.+}}, align 4
; CHECK: @llvm.masked.gather.v16f32.v16p1(
define internal void @b.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %length = zext i32 %n to i64
  %row = mul i64 %lid.0, %length
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %loop ]
  %s = phi float [ 0.0, %entry ], [ %s1, %loop ]
  %i = add i64 %row, %k
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %v = load float, ptr addrspace(1) %p
  %s1 = fadd float %s, %v
  %k1 = add nuw nsw i64 %k, 1
  %last = icmp eq i64 %k1, %length
  br i1 %last, label %end, label %loop
end:
  %q = getelementptr float, ptr addrspace(1) %c, i64 %lid.0
  store float %s1, ptr addrspace(1) %q
  ret void
}

; So do lanes whose rows are a known distance apart: of a tile in local memory.
; CHECK-LABEL: define internal void @t.region.0.all16(
; CHECK: load <8 x float>, ptr addrspace(3) %{{.+}}, align 4
; CHECK: @llvm.masked.gather.v16f32.v16p3(
declare void @t.region.0.foreach(ptr addrspace(3), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1
define internal void @t.region.0(ptr addrspace(3) %a, ptr addrspace(1) %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  br label %head
head:
  %k = phi i64 [ 0, %entry ], [ %k1, %body ]
  %s = phi float [ 0.0, %entry ], [ %s1, %body ]
  %more = icmp ult i64 %k, 32
  br i1 %more, label %body, label %end
body:
  %p = getelementptr [33 x float], ptr addrspace(3) %a, i64 %lid.0, i64 %k
  %v = load float, ptr addrspace(3) %p
  %s1 = fadd float %s, %v
  %k1 = add nuw nsw i64 %k, 1
  br label %head
end:
  %q = getelementptr float, ptr addrspace(1) %c, i64 %lid.0
  store float %s, ptr addrspace(1) %q
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
