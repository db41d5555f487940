; RUN: vectorize width=4
; A loop that is entered in the middle: lanes come to `middle` in different iterations, so its mask is not the loop's.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.some4(
; CHECK: irr.guard:
; CHECK: [[LIVE:%[\w.]+]] = phi <4 x i1> [ %active, %entry ]
; CHECK-NOT: <4 x i1> [[LIVE]], <4 x i32> poison)
; CHECK: [[HERE:%[\w.]+]] = select <4 x i1> [[LIVE]], <4 x i1> {{.*}}, <4 x i1> zeroinitializer
; CHECK: call <4 x i32> @llvm.masked.gather.v4i32.v4p1({{.*}}, <4 x i1> [[HERE]], <4 x i32> poison)
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %lid.0
  %x = load i32, ptr addrspace(1) %pa
  %odd = trunc i32 %x to i1
  br i1 %odd, label %top, label %middle
top:
  %s.top = phi i32 [ 0, %entry ], [ %s.middle, %middle ]
  %s.more = add i32 %s.top, 1
  br label %middle
middle:
  %s = phi i32 [ %x, %entry ], [ %s.more, %top ]
  %index = and i32 %s, 63
  %wide = zext i32 %index to i64
  %pm = getelementptr i32, ptr addrspace(1) %a, i64 %wide
  %y = load i32, ptr addrspace(1) %pm
  %s.middle = add i32 %s, %y
  %again = icmp ult i32 %s.middle, 100
  br i1 %again, label %top, label %end
end:
  %pc = getelementptr i32, ptr addrspace(1) %c, i64 %lid.0
  store i32 %s.middle, ptr addrspace(1) %pc
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
