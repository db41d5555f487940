; RUN: vectorize width=4 bits=256
; A loop that lanes leave one by one, but whose own test is the same for all of them: that is a branch out of the loop, and what is loaded behind it needs no mask but that of the lanes that are in. What stays the same in the loop is loaded before it, if the first test says that the loop is entered.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.all4(
; CHECK: %[[ENTERED:.+]] = icmp slt i32 0, %n
; CHECK: br i1 %[[ENTERED]], label %[[EARLY:.+]], label
; CHECK: load <4 x float>
; CHECK: phi <4 x i1>
; CHECK: %[[MORE:.+]] = icmp slt i32 %{{.+}}, %n
; CHECK: br i1 %[[MORE]], label %{{.+}}, label
; CHECK-NOT: masked.load
; CHECK-NOT: load <4 x float>
; CHECK: load float
; CHECK: fcmp olt <4 x float>
; CHECK: store <4 x i32>
; CHECK: ret void
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) noalias %o, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %to = getelementptr i32, ptr addrspace(1) %o, i64 %lid.0
  br label %head
head:
  %j = phi i32 [ 0, %entry ], [ %next, %on ]
  %more = icmp slt i32 %j, %n
  br i1 %more, label %body, label %end
body:
  %wide = sext i32 %j to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %wide
  %v = load float, ptr addrspace(1) %p, align 4
  %own = getelementptr float, ptr addrspace(1) %a, i64 %lid.0
  %limit = load float, ptr addrspace(1) %own, align 4
  %less = fcmp olt float %v, %limit
  br i1 %less, label %on, label %end
on:
  %next = add nsw i32 %j, 1
  br label %head
end:
  %found = phi i32 [ -1, %head ], [ %j, %body ]
  store i32 %found, ptr addrspace(1) %to, align 4
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
