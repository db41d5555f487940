# SPDX-License-Identifier: Apache-2.0
"""A machine keeps its list of passes: what was compiled before changes no code."""
import pytest

from clpy.compiler.amdgpu.target import ChipTarget
from clpy.compiler.target import host_target
from clpy.llvm.codegen import Machine
from clpy.llvm.module import LLVMError, Module

TARGET = host_target()
SUM = """define float @sum%d(ptr %%p, i64 %%n) {
  br label %%loop
loop:
  %%i = phi i64 [ 0, %%0 ], [ %%next, %%loop ]
  %%s = phi float [ 0.0, %%0 ], [ %%t, %%loop ]
  %%q = getelementptr float, ptr %%p, i64 %%i
  %%v = load float, ptr %%q
  %%w = call float @sinf(float %%v)
  %%t = fadd float %%s, %%w
  %%next = add i64 %%i, 1
  %%more = icmp ult i64 %%next, %%n
  br i1 %%more, label %%loop, label %%end
end:
  ret float %%t
}
declare float @sinf(float)
"""
TABLE = """@table = internal constant [4 x <4 x float>] zeroinitializer
define void @row(ptr %p, i64 %i) !dbg !3 {
  %q = getelementptr <4 x float>, ptr @table, i64 %i, !dbg !4
  %v = load <4 x float>, ptr %q, !dbg !4
  %w = fmul <4 x float> %v, splat (float 3.0), !dbg !4
  store <4 x float> %w, ptr %p, !dbg !4
  ret void, !dbg !4
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_OpenCL, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "k.cl", directory: "")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DISubprogram(name: "row", file: !1, line: 1, unit: !0)
!4 = !DILocation(line: 2, scope: !3)
"""
WAYS = "define i32 @ways(i32 %x) {\n switch i32 %x, label %end [\n" + "".join(
    f"i32 {i}, label %b{i}\n" for i in range(600)) + "]\n" + "".join(
    f"b{i}:\n ret i32 {i * i}\n" for i in range(600)) + "end:\n ret i32 -1\n}\n"
ORDER = [SUM % 1, TABLE, SUM % 2, WAYS, TABLE, SUM % 1]


def new_machine():
    return Machine(TARGET.triple, TARGET.cpu, TARGET.features)


@pytest.mark.parametrize("hurried", (False, True))
def test_code_is_the_same(hurried):
    kept = new_machine()
    for text in ORDER:
        assert kept.object(Module.from_text(text), hurried) == new_machine().object(Module.from_text(text), hurried)


def on_a_chip(kernels):
    """A module with kernels for a chip, one of which calls a function and one has local memory."""
    texts = {"plain": "store i32 1, ptr addrspace(1) %p",
             "caller": "%v = call i32 @far(i32 3)\nstore i32 %v, ptr addrspace(1) %p",
             "local": "%l = getelementptr i32, ptr addrspace(3) @words, i32 %n\nstore i32 %n, ptr addrspace(3) %l\n"
                      "%v = load i32, ptr addrspace(3) %l\nstore i32 %v, ptr addrspace(1) %p"}
    return "@words = internal addrspace(3) global [64 x i32] poison\n" + "".join(
        f"define amdgpu_kernel void @{name}(ptr addrspace(1) %p, i32 %n) {{\n{texts[name]}\nret void\n}}\n"
        for name in kernels) + "define i32 @far(i32 %x) noinline {\n%y = mul i32 %x, %x\nret i32 %y\n}\n"


@pytest.mark.parametrize("processor", ("gfx600", "gfx900"))
def test_code_for_chips_is_the_same(processor):
    target = ChipTarget(processor)

    def machine():
        return Machine(target.triple, target.cpu, target.features)

    kept = machine()
    for kernels in (("caller", "local"), ("plain",), ("local", "plain", "caller"), ("plain",), ("caller",)):
        text = f'target triple = "{target.triple}"\n' + on_a_chip(kernels)
        assert kept.object(Module.from_text(text)) == machine().object(Module.from_text(text))


def test_text_and_objects_take_turns():
    kept = new_machine()
    for _ in range(2):
        assert kept.assembly(Module.from_text(TABLE)) == new_machine().assembly(Module.from_text(TABLE))
        assert kept.object(Module.from_text(TABLE)) == new_machine().object(Module.from_text(TABLE))


def test_a_machine_that_failed_is_not_used_again():
    kept = new_machine()
    kept.object(Module.from_text(TABLE))
    with pytest.raises(LLVMError):
        kept.object(Module.from_text('define void @f() {\n call void asm "no such instruction", ""()\n ret void\n}'))
    assert new_machine().object(Module.from_text(TABLE))
