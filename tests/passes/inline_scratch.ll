; RUN: inline
; Functions of the library that have done with their memory when they return have the same, once, as large as the largest.
; CHECK-LABEL: define spir_kernel void @k
; CHECK: [[MEMORY:%\w+]] = alloca [64 x i8], align 64
; CHECK-NEXT: store i32 1, ptr [[MEMORY]]
; CHECK-NEXT: store i32 2, ptr [[MEMORY]]
; CHECK-NOT: alloca
; CHECK: ret void
declare ptr @_Z14__clpy_scratchj(i32)

define spir_kernel void @k() {
  call void @small()
  call void @large()
  ret void
}

define void @small() {
  %p = call ptr @_Z14__clpy_scratchj(i32 16)
  store i32 1, ptr %p
  ret void
}

define void @large() {
  %p = call ptr @_Z14__clpy_scratchj(i32 64)
  store i32 2, ptr %p
  ret void
}
