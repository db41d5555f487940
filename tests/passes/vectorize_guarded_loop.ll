; RUN: vectorize width=4 bits=256
; A loop that lanes leave one by one, where only those inside of a bound come to it. Its body is skipped when the last lane has left: so what is the same for all lanes is read as such, and places that differ from it by the id are neighbours.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK-LABEL: define internal void @k.region.0.all4(
; CHECK: %[[LIVE:.+]] = phi <4 x i1>
; CHECK: icmp slt <4 x i32>
; CHECK: br i1 %{{.+}}, label %{{.+}}, label
; CHECK: load i32, ptr addrspace(1)
; CHECK: masked.load.v4f32
; CHECK-NOT: masked.gather
; CHECK: ret void
define internal void @k.region.0(ptr addrspace(1) %starts, ptr addrspace(1) %a, ptr addrspace(1) noalias %o, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %id = trunc nuw nsw i64 %lid.0 to i32
  %inside = icmp slt i32 %id, %n
  br i1 %inside, label %rows, label %out
rows:
  %to = getelementptr float, ptr addrspace(1) %o, i64 %lid.0
  br label %head
head:
  %k = phi i32 [ 0, %rows ], [ %next, %body ]
  %s = phi float [ 0.0, %rows ], [ %more, %body ]
  %on = icmp slt i32 %k, %id
  br i1 %on, label %body, label %end
body:
  %wide = zext nneg i32 %k to i64
  %p = getelementptr i32, ptr addrspace(1) %starts, i64 %wide
  %start = load i32, ptr addrspace(1) %p, align 4
  %place = add nsw i32 %start, %id
  %there = sext i32 %place to i64
  %q = getelementptr float, ptr addrspace(1) %a, i64 %there
  %v = load float, ptr addrspace(1) %q, align 4
  %more = fadd float %s, %v
  %next = add nuw nsw i32 %k, 1
  br label %head
end:
  store float %s, ptr addrspace(1) %to, align 4
  br label %out
out:
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
