# SPDX-License-Identifier: Apache-2.0
"""Tell a launch's observer what the wavefronts do: calls for blocks, branches, memory accesses and barriers.

Runs before kernels are cut at barriers, on control flow and accesses that are the source's own: what later passes add
(context memory, blends, copies for whole vectors) is no business of the device that is modelled. The calls are of the
functions below, with a mask as the last argument, which linearization fills in and widening makes a vector of:
    clpy.observe.block(site, mask)       clpy.observe.branch(condition, site, mask)
    clpy.observe.barrier(site, mask)     clpy.observe.memory(address, site, mask)
A site is an index into KernelInfo.sites, which says what is there: the line, the access, the instructions of the block.
"""
from clpy.compiler import frame as fr
from clpy.compiler.analysis.builtin_table import CUT, row_of
from clpy.compiler.analysis.graph import laid_out
from clpy.compiler.analysis.instruction_classes import class_of
from clpy.compiler.analysis.memory import LOCAL, PRIVATE
from clpy.compiler.analysis.parting import InStep
from clpy.compiler.analysis.shapes import VARYING, Shapes
from clpy.compiler.metadata import Site
from clpy.compiler.spmd.observers import BARRIER, BLOCK, BRANCH, MEMORY, observer_types
from clpy.llvm.ir import Builder, Function, Types, declare, functions

INACCESSIBLE_MEMORY = 3 << 2    # LLVM's memory attribute: reads and writes what the program cannot see


class Observed:
    """One work-item function and its sites."""

    def __init__(self, module, item, sites):
        self.module, self.item, self.sites = module, item, sites
        self.types, self.b = Types(module), Builder(module)
        self.calls = {name: declare(module, name, self.types.function(self.types.void, types))
                      for name, types in observer_types(self.types).items()}
        for f in self.calls.values():
            for attribute in ("nounwind", "willreturn"):
                f.add_attribute(attribute)
            f.add_attribute("memory", INACCESSIBLE_MEMORY)
        self.local = fr.frame_of(item)["local"]

    def run(self):
        self.item.run_passes("lower-switch,fix-irreducible,loop-simplify")
        self.shapes = Shapes(laid_out(self.item), {p: VARYING for p in self.item.params if p.name in fr.LOCAL_IDS},
                             InStep)
        for block in self.item.blocks:
            counts = self.counts(block)
            for inst in block.instructions:
                self.observe(inst)
            if counts:
                first = next(i for i in block.instructions if i.opcode not in ("phi", "alloca"))
                self.emit(first, BLOCK, [], Site("block", first.line, counts=counts))

    def counts(self, block):
        """[class, how many] pairs of a block's instructions, in the order of the classes' names."""
        out = {}
        for inst in block.instructions:
            for name, n in class_of(inst, self.is_uniform(inst)):
                out[name] = out.get(name, 0) + n
        return [[name, out[name]] for name in sorted(out)]

    def is_uniform(self, inst):
        """Whether a scalar unit could do it, for the whole wavefront at once."""
        if inst.is_void:
            return all(self.shapes.uniform(v) for v in inst.operands if not v.is_block and not isinstance(v, Function))
        return self.shapes.uniform(inst)

    def observe(self, inst):
        op = inst.opcode
        if op == "br" and inst.n_operands > 1:
            self.emit(inst, BRANCH, [inst.operand(0)], Site("branch", inst.line))
        elif op in ("load", "store", "atomicrmw", "cmpxchg"):
            pointer = inst.operand(1 if op == "store" else 0)
            type_ = {"store": lambda: inst.operand(0).type, "cmpxchg": lambda: inst.operand(1).type}.get(
                op, lambda: inst.type)()
            access = op if op in ("load", "store") and not inst.is_atomic else "atomic"
            self.access(inst, access, pointer, type_.size)
        elif op == "call" and isinstance(inst.callee, Function):
            self.observe_call(inst, inst.callee)

    def observe_call(self, call, callee):
        row = row_of(callee.name)
        if row is not None and row.kind == CUT:
            self.emit(call, BARRIER, [], Site("barrier", call.line))
        elif callee.name.startswith(("llvm.memcpy.", "llvm.memmove.", "llvm.memset.")):
            size = call.args[2]
            size = size.zext if size.is_const_int else 0
            if not callee.name.startswith("llvm.memset."):
                self.access(call, "load", call.args[1], size)
            self.access(call, "store", call.args[0], size)

    def access(self, inst, access, pointer, size):
        """Addresses in local memory are offsets in it. Private memory and the launch's own record are registers."""
        t, b, space = self.types, self.b, pointer.type.address_space
        if space == PRIVATE:
            return
        address = b.before(inst).cast("ptrtoint", pointer, t.i64)
        if space == LOCAL:
            address = b.sub(address, b.cast("ptrtoint", self.local, t.i64))
        self.emit(inst, MEMORY, [address], Site("memory", inst.line, access, space, size))

    def emit(self, inst, name, args, site):
        t = self.types
        self.b.before(inst).call(self.calls[name], [*args, t.i32.const(len(self.sites)), t.i1.const(1)])
        self.sites.append(site)


def run(module, lowering):
    if not lowering.target.observed:
        return
    for item in fr.of_role(functions(module), fr.ITEM):
        info = lowering.kernels.get(item.attribute_text(fr.KERNEL))     # none where the pass runs alone
        Observed(module, item, [] if info is None else info.sites).run()
