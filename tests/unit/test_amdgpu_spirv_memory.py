# SPDX-License-Identifier: Apache-2.0
"""What takes the place of private and local pointers in memory, in modules of SPIR-V for AMD's chips."""
import re

import pytest

from clpy.compiler.amdgpu import spirv_memory
from clpy.llvm.module import Module

HEAD = 'target datalayout = "e-p:64:64:64-i64:64:64"\n'
VARIABLES = HEAD + """
%pair = type { ptr addrspace(3), i32 }
%tight = type <{ i8, ptr }>
@table = internal addrspace(2) constant [2 x %pair] [%pair { ptr addrspace(3) null, i32 1 }, %pair { ptr addrspace(3)
    addrspacecast (ptr addrspace(4) null to ptr addrspace(3)), i32 2 }], align 8
@tight = addrspace(1) global %tight zeroinitializer, align 1
@shared = internal addrspace(3) global [4 x ptr addrspace(3)] undef, align 8
@wide = addrspace(1) global ptr addrspace(1) null, align 8
define i32 @f() {
  %value = load i32, ptr addrspace(2) getelementptr (%pair, ptr addrspace(2) @table, i64 1, i32 1), align 8
  ret i32 %value
}
"""


def widened(text):
    module = Module.from_text(text)
    spirv_memory.widen(module)
    assert not module.verify()
    return module.to_text()


def test_variables():
    text = widened(VARIABLES)
    assert "@table = internal addrspace(2) constant [2 x { i64, i32 }] [{ i64, i32 } { i64 0, i32 1 }, " \
           "{ i64, i32 } { i64 0, i32 2 }], align 8" in text
    assert "@tight = addrspace(1) global <{ i8, i64 }> zeroinitializer, align 1" in text
    assert "@shared = internal addrspace(3) global [4 x i64] poison, align 8" in text
    assert "@wide = addrspace(1) global ptr addrspace(1) null" in text
    assert re.search(r"getelementptr .*\{ i64, i32 \}, ptr addrspace\(2\) @table, i64 1, i32 1", text)


def test_calls_say_what_their_function_says():
    text = widened(HEAD + """
%pair = type { ptr, i32 }
declare void @g(ptr byval(%pair) align 8)
define void @f(ptr %p) {
  call void @g(ptr byval(%pair) align 8 %p)
  ret void
}""")
    assert "declare void @g(ptr byval({ i64, i32 }) align 8)" in text and "call void @g(ptr align 8 %p)" in text


@pytest.mark.parametrize(("place", "value", "checks"), [
    ("%given", "%given", 1), ("%given", "%place", 0), ("%place", "@shared", 0), ("%place", "%inner", 0)])
def test_only_what_may_be_null_is_looked_at(place, value, checks):
    space = " addrspace(3)" if value == "@shared" else ""
    text = widened(HEAD + f"""
@shared = internal addrspace(3) global i32 undef
define void @f(ptr %given) {{
  %place = alloca [2 x ptr], align 8
  %inner = getelementptr [2 x ptr], ptr %place, i64 0, i64 1
  store ptr{space} {value}, ptr {place}, align 8
  ret void
}}""")
    assert "alloca [2 x i64], align 8" in text and text.count("icmp eq") == checks and "store i64" in text


@pytest.mark.parametrize("body", ["@v = internal addrspace(3) global i32 undef\n"
                                  "@p = addrspace(1) global ptr addrspace(3) @v",
                                  "define void @f(ptr %p) {\n %v = load [2 x ptr], ptr %p\n ret void\n}"])
def test_what_cannot_be_said(body):
    with pytest.raises(ValueError, match="private or local memory"):
        widened(HEAD + body)
