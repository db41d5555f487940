; RUN: work_item_loop
; LLVM 22 miscompiles a uniform division under a condition in a loop that it vectorizes: it does not get to.
declare void @k.region.0.foreach(ptr addrspace(1), ptr addrspace(1), i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr addrspace(3), ptr) #1

; CHECK: br i1 {{.*}}, label %item, label %row.end, !llvm.loop [[LOOP:!\d+]]
; CHECK: [[LOOP]] = distinct !{[[LOOP]], {{.*}}[[OFF:!\d+]]}
; CHECK: [[OFF]] = !{!"llvm.loop.vectorize.enable", i1 false}
define internal void @k.region.0(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %last = icmp eq i64 %lid.0, 3
  br i1 %last, label %do, label %end
do:
  %m = add i32 %n, 1
  %q = urem i32 10, %m
  store i32 %q, ptr addrspace(1) %c
  br label %end
end:
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="region" "clpy-exits"="none" }
attributes #1 = { "clpy-kernel"="k" "clpy-role"="foreach" }
