; RUN: vectorize width=4
; What a bound guards is there twice where all lanes of the vector exist: without a mask for when all of them are inside, and with one. A guard in the copy gets a copy as well; where not all lanes exist there is one form.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.all4(
; CHECK: br i1 {{.*}}, label %{{[a-z]+}}, label %body1
; CHECK: body1:
; CHECK: load <4 x i32>, ptr addrspace(1)
; CHECK: store <4 x i32> {{.*}}, ptr addrspace(1)
; CHECK: br label %end
; CHECK: br i1 {{.*}}, label %body, label %end
; CHECK: call void @llvm.masked.store.v4i32.p1({{.*}} <4 x i1> [[IN:%[\w.]+]])
; CHECK-LABEL: define internal void @k.region.0.some4(
; CHECK-NOT: store <4 x i32>
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %i = trunc i64 %lid.0 to i32
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %body, label %end
body:
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %lid.0
  %x = load i32, ptr addrspace(1) %pa
  %pc = getelementptr i32, ptr addrspace(1) %c, i64 %lid.0
  %y = mul i32 %x, 3
  store i32 %y, ptr addrspace(1) %pc
  br label %end
end:
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
