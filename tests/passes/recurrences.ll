; RUN: retarget,recurrences
; What a turn stores and the next one loads stays in a register, in a region whose work-items may run one by one for long:
; the places, of 32 bits in the source, are of 64, and the loop asks at its end. Other functions stay as they are.
; CHECK-LABEL: define internal void @region(
; CHECK: %[[FIRST:.+]] = load float, ptr addrspace(1) %{{.+}}
; CHECK: %[[KEPT:.+]] = phi float [ %[[FIRST]], %{{.+}} ], [ %[[SUM:.+]], %{{.+}} ]
; CHECK: %[[V:.+]] = load float, ptr addrspace(1)
; CHECK: %[[SUM]] = fsub float %[[V]], %[[KEPT]]
; CHECK: store float %[[SUM]], ptr addrspace(1)
; CHECK: ret void
define internal void @region(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %c, i32 %n, i32 %i) #0 {
entry:
  br label %head
head:
  %k = phi i32 [ 1, %entry ], [ %k1, %body ]
  %more = icmp slt i32 %k, %n
  br i1 %more, label %body, label %end
body:
  %row = mul nsw i32 %n, %i
  %at = add nsw i32 %row, %k
  %wide = sext i32 %at to i64
  %p = getelementptr inbounds float, ptr addrspace(1) %a, i64 %wide
  %v = load float, ptr addrspace(1) %p
  %before = add nsw i32 %at, -1
  %before.wide = sext i32 %before to i64
  %q = getelementptr inbounds float, ptr addrspace(1) %c, i64 %before.wide
  %u = load float, ptr addrspace(1) %q
  %s = fsub float %v, %u
  %r = getelementptr inbounds float, ptr addrspace(1) %c, i64 %wide
  store float %s, ptr addrspace(1) %r
  %k1 = add nuw nsw i32 %k, 1
  br label %head
end:
  ret void
}

; CHECK-LABEL: define internal void @other(
; CHECK: head:
; CHECK: icmp slt
; CHECK: %u = load float
; CHECK: ret void
define internal void @other(ptr addrspace(1) noalias %c, i32 %n) {
entry:
  br label %head
head:
  %k = phi i32 [ 1, %entry ], [ %k1, %body ]
  %more = icmp slt i32 %k, %n
  br i1 %more, label %body, label %end
body:
  %wide = zext nneg i32 %k to i64
  %r = getelementptr inbounds float, ptr addrspace(1) %c, i64 %wide
  %q = getelementptr inbounds i8, ptr addrspace(1) %r, i64 -4
  %u = load float, ptr addrspace(1) %q
  %s = fneg float %u
  store float %s, ptr addrspace(1) %r
  %k1 = add nuw nsw i32 %k, 1
  br label %head
end:
  ret void
}

attributes #0 = { "clpy-role"="region" "clpy-in-turn" }
