; RUN: work_item_loop
; Work-items may be in different regions: the loop answers the smallest.
declare i32 @k.region.1.foreach(i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

define internal i32 @k.region.1(i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
  %c = icmp ult i64 %lid.0, 3
  %r = select i1 %c, i32 2, i32 -1
  ret i32 %r
}

; CHECK-LABEL: define internal i32 @k.region.1.foreach
; CHECK: row:
; CHECK: [[ROW:%least]] = phi i32 [ -1, %entry ], [ [[MIN:%\w+]], %row.end ]
; CHECK: item:
; CHECK: [[ITEM:%least\w+]] = phi i32 [ [[ROW]], %row ], [ [[MIN]], %item ]
; CHECK: [[ONE:%\w+]] = call i32 @k.region.1(
; CHECK-NEXT: [[MIN]] = call i32 @llvm.umin.i32(i32 [[ONE]], i32 [[ITEM]])
; CHECK: ret i32 [[MIN]]

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="varying" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
