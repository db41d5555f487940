# SPDX-License-Identifier: Apache-2.0
"""What of a program is compiled, before the library of OpenCL C is linked to it."""
from clpy.compiler import library
from clpy.llvm.ir import functions
from clpy.llvm.module import Module

PROGRAM = """
define i32 @used(i32 %x) {
  ret i32 %x
}
define i32 @unused(i32 %x) {
  %y = call i32 @also_unused(i32 %x)
  ret i32 %y
}
define i32 @also_unused(i32 %x) {
  %y = call i32 @missing(i32 %x)
  ret i32 %y
}
define spir_kernel void @k(ptr addrspace(1) %p) {
  %y = call i32 @used(i32 1)
  store i32 %y, ptr addrspace(1) %p
  ret void
}
define spir_kernel void @other() {
  ret void
}
declare i32 @missing(i32)
@table = internal constant [2 x ptr] [ptr @unused, ptr @unused]
@shared = global i32 0
"""


def test_what_no_kernel_reaches_is_dropped():
    module = Module.from_text(PROGRAM)
    library.keep_kernels(module)
    assert {f.name for f in functions(module)} == {"used", "k", "other"}
    text = module.to_text()
    assert "define internal i32 @used" in text and "@table" not in text
    assert "@shared = global i32 0" in text          # a variable of the program: its size can be asked for


def test_families_are_opened_once_for_what_they_do_not_have(monkeypatch):
    """The functions and their order stay what they are."""
    source = "declare float @_Z3minff(float, float)\n" \
             "define float @k(float %x) {\n  %y = call float @_Z3minff(float %x, float 1.0)\n  ret float %y\n}\n"
    monkeypatch.setattr(library, "_families", {})
    opened, original = [], library.bitcode
    monkeypatch.setattr(library, "bitcode", lambda family: opened.append(family) or original(family))
    made = []
    for _ in range(2):
        opened.clear()
        module = Module.from_text(source)
        library.link(module)
        made.append((module.to_text(), len(opened)))
    assert made[0][0] == made[1][0] and made[1][1] == 1 < made[0][1]
