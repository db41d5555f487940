; RUN: division,inline,normal_form,work_items,local_memory,regions,vectorize,work_item_loop,retarget,vector_math,kernel_abi,optimize width=0 bits=128 first
; First code of a kernel whose first region is vectors of work-items, and whose second goes along a row of each one by
; one: turns of that loop are vectors of LLVM's, though others of the kernel's passes are the few that vectors get.
target triple = "spir64-unknown-unknown"
declare i64 @_Z13get_global_idj(i32) memory(none)
declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

; CHECK-LABEL: define void @__clpy_kernel.k(
; CHECK: load <4 x float>, ptr addrspace(1)
; CHECK: store <4 x float> {{.*}}, ptr addrspace(3)
; CHECK: load <4 x float>, ptr addrspace(1)
; CHECK: fmul <4 x float>
; CHECK: store <4 x float> {{.*}}, ptr addrspace(1)
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(3) %t, i64 %n) {
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %i = call i64 @_Z13get_global_idj(i32 0)
  %pb = getelementptr inbounds float, ptr addrspace(1) %b, i64 %i
  %x = load float, ptr addrspace(1) %pb, align 4
  %pt = getelementptr inbounds float, ptr addrspace(3) %t, i64 %l
  store float %x, ptr addrspace(3) %pt, align 4
  call void @_Z7barrierj(i32 1)
  %other = xor i64 %l, 1
  %po = getelementptr inbounds float, ptr addrspace(3) %t, i64 %other
  %f = load float, ptr addrspace(3) %po, align 4
  %start = mul i64 %i, %n
  %row = getelementptr inbounds float, ptr addrspace(1) %a, i64 %start
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds float, ptr addrspace(1) %row, i64 %k
  %v = load float, ptr addrspace(1) %p, align 4
  %w = fmul float %v, %f
  store float %w, ptr addrspace(1) %p, align 4
  %next = add nuw nsw i64 %k, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
