; RUN: source_lines
; A kernel function says that it is the function of the source that most of its instructions came from; places of others,
; which came here without a call that could be named, go. Other functions stay as they are.

declare i32 @callee(i32)

define void @__clpy_kernel.k(ptr %p) {
  %a = load i32, ptr %p, !dbg !7
  %b = add i32 %a, 1, !dbg !8
  %c = mul i32 %b, 3, !dbg !9
  store i32 %c, ptr %p
  ret void
}
; CHECK: define void @__clpy_kernel.k(ptr %p) !dbg [[K:!\d+]]
; CHECK: %a = load i32, ptr %p, align 4, !dbg [[LOAD:!\d+]]
; CHECK: %b = add i32 %a, 1, !dbg [[ADD:!\d+]]
; CHECK: %c = mul i32 %b, 3
; CHECK: store i32 %c

define void @other(ptr %p) {
  %a = load i32, ptr %p, !dbg !9
  ret void
}
; CHECK: define void @other(ptr %p) {
; CHECK: [[K]] = distinct !DISubprogram(name: "k"

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "k.cl", directory: "")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DISubprogram(name: "k", file: !1, line: 1, type: !5, unit: !0)
!4 = distinct !DISubprogram(name: "inlined", file: !1, line: 9, type: !5, unit: !0)
!5 = !DISubroutineType(types: !6)
!6 = !{}
!7 = !DILocation(line: 2, scope: !3)
!8 = !DILocation(line: 10, scope: !4, inlinedAt: !7)
!9 = !DILocation(line: 11, scope: !4)
