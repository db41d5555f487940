; RUN: optimize bits=256
; What a loop computes again in each turn by a form of libmvec is computed once, though the loop may have no turn; what is called for rare arguments alone stays behind its branch.
declare <8 x float> @_ZGVdN8v_erff(<8 x float>) #1
declare <8 x float> @_ZGVdN8v_expf(<8 x float>) #1

; CHECK-NOT: speculatable
; CHECK-LABEL: define void @k(
; CHECK: call <8 x float> @_ZGVdN8v_erff(
; CHECK: phi <8 x float>
; CHECK: call <8 x float> @_ZGVdN8v_expf(
define void @k(ptr %o, <8 x float> %x, i32 %n, ptr %q) #0 {
entry:
  br label %head
head:
  %k = phi i32 [ 0, %entry ], [ %next, %join ]
  %sum = phi <8 x float> [ zeroinitializer, %entry ], [ %more, %join ]
  %on = icmp slt i32 %k, %n
  br i1 %on, label %body, label %end
body:
  %y = call <8 x float> @_ZGVdN8v_erff(<8 x float> %x)
  %u = load volatile float, ptr %q
  %odd = fcmp oge float %u, 1.0
  br i1 %odd, label %rare, label %join
rare:
  %e = call <8 x float> @_ZGVdN8v_expf(<8 x float> %x)
  br label %join
join:
  %z = phi <8 x float> [ %y, %body ], [ %e, %rare ]
  %more = fadd <8 x float> %sum, %z
  %next = add nuw nsw i32 %k, 1
  br label %head
end:
  store <8 x float> %sum, ptr %o
  ret void
}

attributes #0 = { "clpy-kernel"="k" "clpy-role"="kernel" "clpy-vectors" }
attributes #1 = { nounwind willreturn nofree nosync memory(none) }
