; RUN: observe lockstep=16 observed
; Each access, branch, barrier and block is told of, with the number of its site. An address in local memory is an
; offset from its start; private memory is not told of.
declare spir_func void @_Z7barrierj(i32) convergent

; CHECK-LABEL: define internal void @k.item(
; CHECK: %x = alloca i32
; CHECK: call void @clpy.observe.block(i32 6, i1 true)
; CHECK: [[AT:%\w+]] = ptrtoint ptr addrspace(1) %pa to i64
; CHECK-NEXT: call void @clpy.observe.memory(i64 [[AT]], i32 0, i1 true)
; CHECK-NEXT: %v = load i32, ptr addrspace(1) %pa
; CHECK-NEXT: store i32 %v, ptr %x
; CHECK-NEXT: %pt = getelementptr
; CHECK-NEXT: [[LAT:%\w+]] = ptrtoint ptr addrspace(3) %pt to i64
; CHECK-NEXT: [[LOCAL:%\w+]] = ptrtoint ptr addrspace(3) %local to i64
; CHECK-NEXT: [[OFFSET:%\w+]] = sub i64 [[LAT]], [[LOCAL]]
; CHECK-NEXT: call void @clpy.observe.memory(i64 [[OFFSET]], i32 1, i1 true)
; CHECK-NEXT: store i32 %v, ptr addrspace(3) %pt
; CHECK-NEXT: call void @clpy.observe.barrier(i32 2, i1 true)
; CHECK-NEXT: call spir_func void @_Z7barrierj(i32 1)
; CHECK: call void @clpy.observe.memory(i64 {{%\w+}}, i32 3, i1 true)
; CHECK-NEXT: %old = atomicrmw add
; CHECK: call void @clpy.observe.branch(i1 %odd, i32 5, i1 true)
; CHECK-NEXT: br i1 %odd
; CHECK: call void @clpy.observe.block(i32 8, i1 true)
; CHECK: call void @clpy.observe.memory(i64 {{%\w+}}, i32 7, i1 true)
define internal void @k.item(ptr addrspace(1) %a, ptr addrspace(3) %t, i64 %lid.0, i64 %lid.1, i64 %lid.2, i64 %lsize.0, i64 %lsize.1, i64 %lsize.2, i64 %gbase.0, i64 %gbase.1, i64 %gbase.2, i64 %group.0, i64 %group.1, i64 %group.2, i64 %items, ptr %launch, ptr addrspace(3) %local, ptr %context) #0 {
entry:
  %x = alloca i32
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %lid.0
  %v = load i32, ptr addrspace(1) %pa
  store i32 %v, ptr %x
  %pt = getelementptr i32, ptr addrspace(3) %t, i64 %lid.0
  store i32 %v, ptr addrspace(3) %pt
  call spir_func void @_Z7barrierj(i32 1)
  %old = atomicrmw add ptr addrspace(1) %a, i32 1 seq_cst
  %again = load i32, ptr addrspace(3) %t
  %odd = trunc i32 %again to i1
  br i1 %odd, label %do, label %end
do:
  store i32 1, ptr addrspace(1) %pa
  br label %end
end:
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="item" }
