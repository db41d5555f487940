; RUN: inline
; A kernel with all of its functions would be hundreds of thousands of instructions: those that there would be most of
; are called, and what they ask of the work-item comes from the kernel. Barriers are inlined all the same.
; CHECK-LABEL: define spir_kernel void @k(
; CHECK: [[ID:%\w+]] = call i64 @_Z13get_global_idj(i32 0)
; CHECK-NEXT: [[DIMS:%\w+]] = call i32 @_Z12get_work_dimv()
; CHECK-NEXT: call spir_func i64 @level_0(i64 1, i64 [[ID]], i32 [[DIMS]])
; CHECK: call void @_Z7barrierj(i32 1)
; CHECK-NOT: @leaf
; CHECK-LABEL: define internal spir_func i64 @level_0(i64 %x, i64 %get_global_id.0, i32 %get_work_dim)
; CHECK-NOT: call
; CHECK: ret i64
declare i64 @_Z13get_global_idj(i32)
declare i32 @_Z12get_work_dimv()
declare void @_Z7barrierj(i32) convergent

define spir_func i64 @leaf(i64 %x) {
  %id = call i64 @_Z13get_global_idj(i32 0)
  %dims = call i32 @_Z12get_work_dimv()
  %d = zext i32 %dims to i64
  %again = call i64 @_Z13get_global_idj(i32 0)
  %s = add i64 %id, %again
  %v0 = add i64 %x, %s
  %v1 = mul i64 %v0, %d
  %v2 = xor i64 %v1, %d
  %v3 = mul i64 %v2, %x
  %v4 = xor i64 %v3, %d
  %v5 = mul i64 %v4, %d
  %v6 = xor i64 %v5, %x
  %v7 = mul i64 %v6, %d
  %v8 = xor i64 %v7, %d
  %v9 = mul i64 %v8, %x
  %v10 = xor i64 %v9, %d
  %v11 = mul i64 %v10, %d
  %v12 = xor i64 %v11, %x
  %v13 = mul i64 %v12, %d
  %v14 = xor i64 %v13, %d
  %v15 = mul i64 %v14, %x
  %v16 = xor i64 %v15, %d
  %v17 = mul i64 %v16, %d
  %v18 = xor i64 %v17, %x
  %v19 = mul i64 %v18, %d
  %v20 = xor i64 %v19, %d
  %v21 = mul i64 %v20, %x
  %v22 = xor i64 %v21, %d
  %v23 = mul i64 %v22, %d
  %v24 = xor i64 %v23, %x
  %v25 = mul i64 %v24, %d
  %v26 = xor i64 %v25, %d
  %v27 = mul i64 %v26, %x
  %v28 = xor i64 %v27, %d
  %v29 = mul i64 %v28, %d
  %v30 = xor i64 %v29, %x
  %v31 = mul i64 %v30, %d
  %v32 = xor i64 %v31, %d
  %v33 = mul i64 %v32, %x
  %v34 = xor i64 %v33, %d
  %v35 = mul i64 %v34, %d
  %v36 = xor i64 %v35, %x
  %v37 = mul i64 %v36, %d
  %v38 = xor i64 %v37, %d
  %v39 = mul i64 %v38, %x
  %v40 = xor i64 %v39, %d
  %v41 = mul i64 %v40, %d
  %v42 = xor i64 %v41, %x
  %v43 = mul i64 %v42, %d
  %v44 = xor i64 %v43, %d
  %v45 = mul i64 %v44, %x
  %v46 = xor i64 %v45, %d
  %v47 = mul i64 %v46, %d
  %v48 = xor i64 %v47, %x
  %v49 = mul i64 %v48, %d
  %v50 = xor i64 %v49, %d
  %v51 = mul i64 %v50, %x
  %v52 = xor i64 %v51, %d
  %v53 = mul i64 %v52, %d
  %v54 = xor i64 %v53, %x
  %v55 = mul i64 %v54, %d
  %v56 = xor i64 %v55, %d
  %v57 = mul i64 %v56, %x
  %v58 = xor i64 %v57, %d
  %v59 = mul i64 %v58, %d
  %v60 = xor i64 %v59, %x
  %v61 = mul i64 %v60, %d
  %v62 = xor i64 %v61, %d
  %v63 = mul i64 %v62, %x
  %v64 = xor i64 %v63, %d
  %v65 = mul i64 %v64, %d
  %v66 = xor i64 %v65, %x
  %v67 = mul i64 %v66, %d
  %v68 = xor i64 %v67, %d
  %v69 = mul i64 %v68, %x
  %v70 = xor i64 %v69, %d
  %v71 = mul i64 %v70, %d
  %v72 = xor i64 %v71, %x
  %v73 = mul i64 %v72, %d
  %v74 = xor i64 %v73, %d
  %v75 = mul i64 %v74, %x
  %v76 = xor i64 %v75, %d
  %v77 = mul i64 %v76, %d
  %v78 = xor i64 %v77, %x
  %v79 = mul i64 %v78, %d
  %v80 = xor i64 %v79, %d
  %v81 = mul i64 %v80, %x
  %v82 = xor i64 %v81, %d
  %v83 = mul i64 %v82, %d
  %v84 = xor i64 %v83, %x
  %v85 = mul i64 %v84, %d
  %v86 = xor i64 %v85, %d
  %v87 = mul i64 %v86, %x
  %v88 = xor i64 %v87, %d
  %v89 = mul i64 %v88, %d
  %v90 = xor i64 %v89, %x
  %v91 = mul i64 %v90, %d
  %v92 = xor i64 %v91, %d
  %v93 = mul i64 %v92, %x
  %v94 = xor i64 %v93, %d
  %v95 = mul i64 %v94, %d
  %v96 = xor i64 %v95, %x
  %v97 = mul i64 %v96, %d
  %v98 = xor i64 %v97, %d
  %v99 = mul i64 %v98, %x
  %v100 = xor i64 %v99, %d
  %v101 = mul i64 %v100, %d
  %v102 = xor i64 %v101, %x
  %v103 = mul i64 %v102, %d
  %v104 = xor i64 %v103, %d
  %v105 = mul i64 %v104, %x
  %v106 = xor i64 %v105, %d
  %v107 = mul i64 %v106, %d
  %v108 = xor i64 %v107, %x
  %v109 = mul i64 %v108, %d
  ret i64 %v109
}

define spir_func i64 @level_0(i64 %x) {
  %c0 = call spir_func i64 @leaf(i64 %x)
  %c1 = call spir_func i64 @leaf(i64 %c0)
  %c2 = call spir_func i64 @leaf(i64 %c1)
  %c3 = call spir_func i64 @leaf(i64 %c2)
  %c4 = call spir_func i64 @leaf(i64 %c3)
  %c5 = call spir_func i64 @leaf(i64 %c4)
  %c6 = call spir_func i64 @leaf(i64 %c5)
  %c7 = call spir_func i64 @leaf(i64 %c6)
  ret i64 %c7
}

define spir_func i64 @level_1(i64 %x) {
  %c0 = call spir_func i64 @level_0(i64 %x)
  %c1 = call spir_func i64 @level_0(i64 %c0)
  %c2 = call spir_func i64 @level_0(i64 %c1)
  %c3 = call spir_func i64 @level_0(i64 %c2)
  %c4 = call spir_func i64 @level_0(i64 %c3)
  %c5 = call spir_func i64 @level_0(i64 %c4)
  %c6 = call spir_func i64 @level_0(i64 %c5)
  %c7 = call spir_func i64 @level_0(i64 %c6)
  ret i64 %c7
}

define spir_func i64 @level_2(i64 %x) {
  %c0 = call spir_func i64 @level_1(i64 %x)
  %c1 = call spir_func i64 @level_1(i64 %c0)
  %c2 = call spir_func i64 @level_1(i64 %c1)
  %c3 = call spir_func i64 @level_1(i64 %c2)
  %c4 = call spir_func i64 @level_1(i64 %c3)
  %c5 = call spir_func i64 @level_1(i64 %c4)
  %c6 = call spir_func i64 @level_1(i64 %c5)
  %c7 = call spir_func i64 @level_1(i64 %c6)
  ret i64 %c7
}

define spir_func i64 @level_3(i64 %x) {
  %c0 = call spir_func i64 @level_2(i64 %x)
  %c1 = call spir_func i64 @level_2(i64 %c0)
  %c2 = call spir_func i64 @level_2(i64 %c1)
  %c3 = call spir_func i64 @level_2(i64 %c2)
  %c4 = call spir_func i64 @level_2(i64 %c3)
  %c5 = call spir_func i64 @level_2(i64 %c4)
  %c6 = call spir_func i64 @level_2(i64 %c5)
  %c7 = call spir_func i64 @level_2(i64 %c6)
  ret i64 %c7
}

define spir_func void @meets() {
  call void @_Z7barrierj(i32 1)
  ret void
}

define spir_kernel void @k(ptr addrspace(1) %o) {
  %r = call spir_func i64 @level_3(i64 1)
  call spir_func void @meets()
  store i64 %r, ptr addrspace(1) %o
  ret void
}
