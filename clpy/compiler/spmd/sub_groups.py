# SPDX-License-Identifier: Apache-2.0
"""What the functions of sub-groups are in numbers and operations, and what they become where a sub-group is one
work-item.

A sub-group is work-items that follow each other in the linear order of their group; only the last one may be smaller.
The functions are the rows of kind TOGETHER in analysis/builtin_table.py: those of OpenCL C are written with them
(builtins/sub_group.cl). As vectors they are made in widen_sub_groups.py.
"""
import math

from clpy.compiler import frame as fr
from clpy.compiler.analysis.builtin_table import SUB_GROUP, TOGETHER, row_of
from clpy.compiler.frame import local_linear_id
from clpy.llvm.ir import Builder, Function, Types, intrinsic

MAX_SUB_GROUP_SIZE = "_Z22get_max_sub_group_sizev"
OF_SIZE = "__clpy_sub_groups_of"        # its argument, a constant: what needs sub-groups of that size says so with it
INTRINSICS = {"smin": "llvm.smin", "smax": "llvm.smax", "umin": "llvm.umin", "umax": "llvm.umax",
              "fmin": "llvm.minnum", "fmax": "llvm.maxnum"}


def size_of(lowering):
    """Work-items of a sub-group: as many as a register has floats."""
    return lowering.vector_bits // 32


def row_of_call(inst):
    """The row, where an instruction is a call of one of these functions; else None."""
    callee = inst.callee
    row = row_of(callee.name) if isinstance(callee, Function) and callee.is_declaration else None
    return row if row is not None and row.kind == TOGETHER else None


def parts_of(row):
    """("reduce", "add") of __clpy_sub_group_reduce_add; ("ballot", "") of one without an operation."""
    how, _, what = row.name.removeprefix(SUB_GROUP).partition("_")
    return how, what


def identity(type_, what):
    """What changes nothing, as a constant of an element's type."""
    if what == "add":
        return type_.const(-0.0) if type_.is_float else type_.null
    if what == "mul":
        return type_.const(1.0 if type_.is_float else 1)
    if what in ("fmin", "fmax"):
        return type_.const(math.inf if what == "fmin" else -math.inf)
    if what in ("smin", "smax"):
        most = (1 << (type_.width - 1)) - 1
        return type_.const(most if what == "smin" else ~most)
    return type_.all_ones if what in ("umin", "and") else type_.null


def combine(module, builder, what, a, b):
    """a `what` b, of scalars or vectors."""
    if what in INTRINSICS:
        return builder.call(intrinsic(module, INTRINSICS[what], [a.type]), [a, b])
    is_float = a.type.scalar.is_float
    return builder.binop(f"f{what}" if is_float and what in ("add", "mul") else what, a, b)


class Alone:
    """The functions in a region whose sub-groups are of one work-item each."""

    def __init__(self, module, region):
        self.module, self.region = module, region
        self.types, self.b = Types(module), Builder(module)

    def run(self):
        for call in self.region.instructions_of("call"):
            row = row_of_call(call)
            if row is not None:
                self.b.before(call)
                call.replace_with(self.value(call, row))
                call.erase()

    def value(self, call, row):
        t = self.types
        if row.name == "get_sub_group_id":
            return self.b.cast("trunc", local_linear_id(self.b, fr.frame_of(self.region)), t.i32)
        if not row.name.startswith(SUB_GROUP):
            return t.i32.const(0 if row.name == "get_sub_group_local_id" else 1)
        how, what = parts_of(row)
        if how == "ballot":
            return self.b.cast("zext", call.args[0], call.type)
        if how == "exclusive":
            return identity(call.type, what)
        return call.args[0]


def needed_size(functions):
    """The size that calls of OF_SIZE ask for, which become that number; 0: there are none."""
    size = 0
    for function in functions:
        for call in function.instructions_of("call"):
            row = row_of_call(call)
            if row is not None and row.name == OF_SIZE:
                size = call.args[0].zext
                call.replace_with(call.args[0])
                call.erase()
    return size


def settle_size(module, functions, size):
    """The size of a full sub-group is known now, to what is done once for a group too."""
    for function in functions:
        for call in function.instructions_of("call"):
            if isinstance(call.callee, Function) and call.callee.name == MAX_SUB_GROUP_SIZE:
                call.replace_with(call.type.const(size))
                call.erase()
