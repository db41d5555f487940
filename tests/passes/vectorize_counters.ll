; RUN: work_items,regions,vectorize width=4
; A counter of 32 bits that goes up to a bound: neighbours from lane to lane, as the loop over the group looks whether bound and step leave room; with it the stores are of vectors.

; CHECK-LABEL: define internal void @rows.region.0.foreach(
; CHECK: %[[N:.+]] = zext i32 %{{.+}} to i64
; CHECK: %[[STEP:.+]] = zext i32 %{{.+}} to i64
; CHECK: %[[LAST:.+]] = add i64 %[[N]], %[[STEP]]
; CHECK: %[[MORE:.+]] = add i64 %[[LAST]], 65536
; CHECK: icmp sgt i64 %[[MORE]], 4294967296

; CHECK-LABEL: define internal void @rows.region.0.all4(
; CHECK-NOT: scatter
; CHECK: ret void
define spir_kernel void @rows(ptr addrspace(1) noalias %o, i32 %n) {
entry:
  %id = call i64 @_Z13get_global_idj(i32 0)
  %start = trunc i64 %id to i32
  %size = call i64 @_Z15get_global_sizej(i32 0)
  %step = trunc i64 %size to i32
  br label %head
head:
  %i = phi i32 [ %start, %entry ], [ %next, %body ]
  %more = icmp ult i32 %i, %n
  br i1 %more, label %body, label %end
body:
  %wide = zext i32 %i to i64
  %at = getelementptr i32, ptr addrspace(1) %o, i64 %wide
  store i32 %i, ptr addrspace(1) %at
  %next = add i32 %i, %step
  br label %head
end:
  ret void
}

declare i64 @_Z13get_global_idj(i32)
declare i64 @_Z15get_global_sizej(i32)
