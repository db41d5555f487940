; RUN: vectorize width=4
; A volatile variable of the work-item's own is read and written for all lanes at once, each time that the source says,
; and what the other lanes have in it is kept. Volatile memory that others see goes lane by lane.
declare void @k.region.0.foreach(ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.all4(
; CHECK: store volatile <4 x i32>
; CHECK: load volatile <4 x i32>
; CHECK: load volatile <4 x i32>
; CHECK-NOT: clpy.guarded
; CHECK: load volatile <4 x i32>
; CHECK: select <4 x i1>
; CHECK: store volatile <4 x i32>
; CHECK: load volatile <4 x i32>
; CHECK: call void @clpy.guarded
; CHECK-LABEL: define internal void @k.region.0.some4(
define internal void @k.region.0(ptr addrspace(1) %c, i64 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %v = alloca i32, align 4
  %first = trunc i64 %lid.0 to i32
  store volatile i32 %first, ptr %v, align 4
  %one = load volatile i32, ptr %v, align 4
  %two = load volatile i32, ptr %v, align 4
  %sum = add i32 %one, %two
  %pc = getelementptr i32, ptr addrspace(1) %c, i64 %lid.0
  %few = icmp ult i64 %lid.0, %n
  br i1 %few, label %more, label %end

more:
  store volatile i32 %sum, ptr %v, align 4
  br label %end

end:
  %last = load volatile i32, ptr %v, align 4
  store volatile i32 %last, ptr addrspace(1) %pc, align 4
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
