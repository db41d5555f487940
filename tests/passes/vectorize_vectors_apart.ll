; RUN: vectorize width=16
; Vectors of work-items that lie one after the other and are taken apart: those of truth values are shuffled (they are no
; bytes), and those that ways into a block join come apart behind the last of its phis.
declare void @k.region.0.foreach(ptr addrspace(1), i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.all16(
; CHECK: phi <64 x i32>
; CHECK-NEXT: phi <64 x i32>
; CHECK-NOT: phi
; CHECK: icmp ne <64 x i32>
; CHECK-NOT: bitcast <64 x i1>
; CHECK: shufflevector <64 x i1>
; CHECK-LABEL: define internal void @k.region.0.some16(
define internal void @k.region.0(ptr addrspace(1) %a, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  br label %loop
loop:
  %j = phi i64 [ 0, %entry ], [ %j1, %loop ]
  %v = phi <4 x i32> [ zeroinitializer, %entry ], [ %v1, %loop ]
  %w = phi <4 x i32> [ zeroinitializer, %entry ], [ %w1, %loop ]
  %row = mul i64 %j, 64
  %i = add i64 %row, %lid.0
  %p = getelementptr <4 x i32>, ptr addrspace(1) %a, i64 %i
  %x = load <4 x i32>, ptr addrspace(1) %p
  %m = icmp ne <4 x i32> %x, splat (i32 1)
  %v1 = add <4 x i32> %v, %x
  %w1 = select <4 x i1> %m, <4 x i32> %w, <4 x i32> %v
  store <4 x i32> %w1, ptr addrspace(1) %p
  %j1 = add i64 %j, 1
  %more = icmp ult i64 %j1, 100
  br i1 %more, label %loop, label %end
end:
  %last = extractelement <4 x i32> %v, i64 0
  %bit = extractelement <4 x i1> %m, i64 2
  %number = zext i1 %bit to i32
  %sum = add i32 %last, %number
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %lid.0
  store i32 %sum, ptr addrspace(1) %q
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
