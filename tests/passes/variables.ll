; RUN: variables O0
; Each variable of a kernel has a place, which is written where the variable changes and read at the end; what the
; variable is at a place in the code is the debugger's to find there. The ids are variables, too.

define spir_kernel void @k(i32 %x) !dbg !3 {
entry:
    #dbg_value(i32 %x, !10, !DIExpression(), !7)
  %y = add i32 %x, 1, !dbg !7
    #dbg_value(i32 %y, !10, !DIExpression(), !7)
  ret void, !dbg !7
}
; CHECK: define spir_kernel void @k(i32 %x)
; CHECK: %global_id = alloca [24 x i8], align 16, !clpy.variable
; CHECK: #dbg_declare(ptr %global_id, [[ID:!\d+]], !DIExpression(),
; CHECK: call spir_func i64 @_Z13get_global_idj(i32 0)
; CHECK: %v = alloca [4 x i8], align 8, !clpy.variable
; CHECK: #dbg_declare(ptr %v, [[V:!\d+]], !DIExpression(),
; CHECK: store volatile i32 %x, ptr %v
; CHECK: %y = add i32 %x, 1
; CHECK: store volatile i32 %y, ptr %v
; CHECK: load volatile i8, ptr %v
; CHECK: ret void
; CHECK: [[ID]] = !DILocalVariable(name: "global_id"
; CHECK: [[V]] = !DILocalVariable(name: "v"

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "k.cl", directory: "")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DISubprogram(name: "k", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{}
!7 = !DILocation(line: 2, scope: !3)
!10 = !DILocalVariable(name: "v", scope: !3, file: !1, line: 2, type: !11)
!11 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
