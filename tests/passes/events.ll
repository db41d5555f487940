; RUN: events
; CHECK-LABEL: define void @f
; CHECK-NOT: store
; CHECK-NOT: phi
; CHECK: call void @use(target("spirv.Event") zeroinitializer)
declare target("spirv.Event") @make()
declare void @use(target("spirv.Event"))

define void @f(i1 %c) {
entry:
  %e = alloca target("spirv.Event")
  br i1 %c, label %a, label %b
a:
  store target("spirv.Event") zeroinitializer, ptr %e
  %l = load target("spirv.Event"), ptr %e
  br label %b
b:
  %p = phi target("spirv.Event") [ %l, %a ], [ zeroinitializer, %entry ]
  call void @use(target("spirv.Event") %p)
  ret void
}
