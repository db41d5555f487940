# SPDX-License-Identifier: Apache-2.0
"""Copies by a work-group: loops of its work-items, as Intel's compiler has them, and a barrier where they are waited
for. LLVM's SPIR-V for them is wrong, and events, which are numbers here, confuse it."""
import re

from clpy.compiler.analysis.builtin_table import base_name
from clpy.errors import CompileError

EVENT_TYPE, EVENT = 'target("spirv.Event")', "9ocl_event"
COPY, STRIDED, WAIT = "async_work_group_copy", "async_work_group_strided_copy", "wait_group_events"
LOCAL = 3
BOTH = 3                # CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE
BARRIER, ID, SIZE = "_Z7barrierj", "_Z12get_local_idj", "_Z14get_local_sizej"
# Of a mangled function: the element that its first parameter points to.
ELEMENT = re.compile(r"PU3AS\d(?:Dv(\d+)_)?(Dh|[a-z])")
BITS = {"c": 8, "a": 8, "h": 8, "s": 16, "t": 16, "Dh": 16, "i": 32, "j": 32, "f": 32, "l": 64, "m": 64, "d": 64}


def lower(module):
    """The module without events: another one, where it has any."""
    from clpy.llvm.ir import functions
    from clpy.llvm.module import Module
    if not any(function.is_declaration and EVENT in function.name for function in functions(module)):
        return module
    module = Module.from_text(module.to_text().replace(EVENT_TYPE, "i64"))
    for function in functions(module):
        name = base_name(function.name) if function.is_declaration else ""
        if name in (COPY, STRIDED):
            write_copy(module, function, name == STRIDED)
        elif name == WAIT:
            write_wait(module, function)
    return module


def begin(module, function):
    """(Types, Builder) for the body."""
    from clpy.llvm.ir import Builder, Types
    function.set_internal()
    function.name = f"clpy.{function.name}"
    return Types(module), Builder(module).at_end(function.append_block())


def write_wait(module, function):
    from clpy.llvm.ir import declare
    t, b = begin(module, function)
    barrier = declare(module, BARRIER, t.function(t.void, [t.i32]))
    for name in ("convergent", "nounwind"):
        barrier.add_attribute(name)
    b.call(barrier, [t.i32.const(BOTH)])
    b.ret()


def write_copy(module, function, is_strided):
    """Each work-item copies every element whose number is its own, or larger by a multiple of the group's size. What is
    not local memory has the stride."""
    found = ELEMENT.search(function.name)
    if found is None:
        raise CompileError(f"error: {base_name(function.name)}: copies of such elements are not supported\n")
    to, source, count, *rest = function.params
    t, b = begin(module, function)
    element = t.half if found[2] == "Dh" else t.int(BITS[found[2]])
    element = t.vector(element, int(found[1])) if found[1] else element
    first, step = place_in_group(module, t, b)
    start = b.block
    loop, body, end = (function.append_block() for _ in range(3))
    b.br(loop)
    b.at_end(loop)
    number = b.phi(t.i64)
    number.add_incoming(first, start)
    b.cond_br(b.icmp("ult", number, count), body, end)
    b.at_end(body)
    far = b.mul(number, rest[0]) if is_strided else number
    places = [b.gep(element, pointer, [number if pointer.type.address_space == LOCAL else far])
              for pointer in (source, to)]
    b.store(b.load(element, places[0]), places[1])
    number.add_incoming(b.add(number, step), body)
    b.br(loop)
    b.at_end(end)
    b.ret(rest[-1])


def place_in_group(module, t, b):
    """(number of the work-item in its group, how many there are)"""
    from clpy.llvm.ir import declare
    ids, sizes = ([b.call(declare(module, name, t.function(t.i64, [t.i32])), [t.i32.const(axis)]) for axis in range(3)]
                  for name in (ID, SIZE))
    inner = b.add(b.mul(ids[2], sizes[1]), ids[1])
    return b.add(b.mul(inner, sizes[0]), ids[0]), b.mul(b.mul(sizes[0], sizes[1]), sizes[2])
