# SPDX-License-Identifier: Apache-2.0
"""Classes of instructions, as a model of a device needs them: what a block of a kernel's IR costs.

A class is `UNIT.KIND`. UNIT: `uniform`, the same for all work-items of a wavefront, so that a scalar unit may do it, or
`varying`. KIND: the rows below. A vector of n elements counts n times: the chips modelled have scalar lanes.
"""
from clpy.compiler.analysis.builtin_table import CUT, MATH, PURE, row_of
from clpy.compiler.analysis.intrinsics import intrinsic_base
from clpy.compiler.analysis.memory import CONSTANT, GLOBAL, LOCAL, PRIVATE, base_of
from clpy.llvm.ir import Function

INTEGER = {"add", "sub", "and", "or", "xor", "shl", "lshr", "ashr", "icmp", "select", "getelementptr", "ptrtoint",
           "inttoptr", "trunc", "zext", "sext"}
PRODUCT = {"mul": "multiply", "udiv": "divide", "sdiv": "divide", "urem": "divide", "srem": "divide"}
FLOAT = {"fadd", "fsub", "fmul", "fneg", "fcmp"}
CONVERT = {"fptoui", "fptosi", "uitofp", "sitofp", "fptrunc", "fpext"}
SPACES = {GLOBAL: "global", CONSTANT: "constant", LOCAL: "local", PRIVATE: "private"}
SPECIAL = {"sqrt", "sin", "cos", "tan", "exp", "exp2", "exp10", "log", "log2", "log10", "pow", "powi"}
FUSED = {"fma", "fmuladd"}
KINDS = ("int", "multiply", "divide", "float", "fma", "float_divide", "special", "convert", "branch", "barrier",
         "call", *[f"{access}_{space}" for access in ("load", "store", "atomic")
                   for space in (*SPACES.values(), "generic")])


def class_of(inst, uniform):
    """(class, count) pairs of one instruction; none for what costs nothing. 64-bit arithmetic has a suffix `64`."""
    kind, type_ = kind_of(inst)
    if kind is None:
        return
    scalar = type_.scalar
    wide = kind in WIDE and not scalar.is_pointer and not scalar.is_void and scalar.size == 8
    count = type_.count if type_.is_vector and kind not in ("branch", "barrier") else 1
    yield f"{'uniform' if uniform else 'varying'}.{kind}{'64' if wide else ''}", count


WIDE = ("int", "multiply", "divide", "float", "fma", "float_divide", "special", "convert")


def kind_of(inst):
    """(kind or None, the type that is worked on)."""
    op, type_ = inst.opcode, inst.type
    if op in ("icmp", "fcmp", "ptrtoint"):
        type_ = inst.operand(0).type
    if op in INTEGER:
        return "int", type_
    if op in PRODUCT:
        return PRODUCT[op], type_
    if op in FLOAT:
        return "float", type_
    if op in ("fdiv", "frem"):
        return "float_divide", type_
    if op in CONVERT:
        return "convert", type_
    if op == "br":
        return ("branch" if inst.n_operands > 1 else None), type_
    if op in ("load", "store", "atomicrmw", "cmpxchg"):
        return access_kind(inst, op)
    if op == "call" and isinstance(inst.callee, Function):
        return call_kind(inst, inst.callee.name), type_
    return None, type_


def access_kind(inst, op):
    pointer = inst.operand(1 if op == "store" else 0)
    if pointer.type.address_space == PRIVATE and base_of(pointer).is_argument:
        return None, inst.type    # a size of the launch, or a struct that the kernel got by value
    access = op if op in ("load", "store") and not inst.is_atomic else "atomic"
    type_ = inst.operand(0).type if op == "store" else inst.type
    return f"{access}_{SPACES.get(pointer.type.address_space, 'generic')}", type_


def call_kind(inst, name):
    base, row = intrinsic_base(name), row_of(name)
    if base in FUSED:
        return "fma"
    if base in SPECIAL or (row is not None and row.kind in (MATH, PURE)):
        return "special"
    if base:
        return "float" if inst.type.scalar.is_float else "int"
    if row is not None and row.kind == CUT:
        return "barrier"
    return None if name.startswith(("llvm.", "clpy.")) else "call"
