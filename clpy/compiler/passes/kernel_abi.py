# SPDX-License-Identifier: Apache-2.0
"""Make `__clpy_kernel.<name>` of each kernel: the clpy_kernel_fn of include/clpy_abi.h around its group function.

It reads the arguments from the argument block, then runs the groups gx_first to gx_end-1, computing the frame of each.
A required group size becomes a constant here, and spreads when everything is inlined into this function.

More than half of a short kernel's function would be for that. So where code is made again once it has run for long, the
function is for one group, or one row of it, and the loops around it are the device's (device/host/each_group.pyx).
"""
from clpy.abi_layout import ARG_LOCAL, KERNEL_PREFIX, LAUNCH_BYTES
from clpy.compiler import frame as fr
from clpy.compiler.analysis.builtin_table import IS_LOCAL, IS_PRIVATE
from clpy.compiler.metadata import BLOCK_ALIGN, GROUP, RANGE, ROW
from clpy.compiler.spmd.forms import keep_apart
from clpy.compiler.spmd.lanes import CACHE_LINE
from clpy.llvm.ir import Builder, Types, add_function, const_int_range, functions, get_function, intrinsic, md_node

MAX_GROUP = 1 << 20        # work-items of a group: more than any device offers
MAX_GLOBAL = 1 << 62       # work-items of a dimension, and the offset
FRAME_BYTES = 8 * len(fr.GROUP_FRAME)
# Parameters that are pointers -> bytes of what is there, and its alignment; 0: the kernel says how many.
POINTERS = {"launch": (LAUNCH_BYTES, 8), "args": (0, BLOCK_ALIGN), "mem": (16, 8), "frame": (FRAME_BYTES, 8)}
LIMITS = {"lsize": (1, MAX_GROUP + 1), "gbase": (0, 2 * MAX_GLOBAL), "group": (0, MAX_GLOBAL),
          "items": (1, MAX_GROUP + 1)}
CODE_ALIGN = 16            # the lowest bits of a function's address say what it is
DIMENSIONS = range(3)


class KernelBuilder:
    """A kernel function."""
    PARAMS = ()

    def __init__(self, module, group, info):
        self.module, self.group, self.info = module, group, info
        self.types = t = Types(module)
        types = [t.ptr if name in POINTERS else t.i64 for name in self.PARAMS]
        self.kernel = add_function(module, KERNEL_PREFIX + group.attribute_text(fr.KERNEL), t.function(t.void, types))
        self.kernel.name_params(self.PARAMS)
        self.p = dict(zip(self.PARAMS, self.kernel.params, strict=True))
        self.builder = Builder(module)
        self.invariant = md_node(module, [])

    def attributes(self):
        self.kernel.add_attribute("nounwind")
        # A vector kept on the stack over a call lies in one cache line: else the load waits until the store is done.
        self.kernel.add_attribute("alignstack", CACHE_LINE)
        for index, param in enumerate(self.PARAMS, 1):
            if param not in POINTERS:
                continue
            size, align = POINTERS[param]
            for name in ("noalias", "readonly", "nonnull", "noundef"):
                self.kernel.add_attribute(name, index=index)
            if size or self.info.args_size:
                self.kernel.add_attribute("dereferenceable", size or self.info.args_size, index)
            self.kernel.add_attribute("align", align, index)

    def at(self, base, offset):
        return self.builder.gep(self.types.i8, base, [self.types.i64.const(offset)]) if offset else base

    def load(self, ty, base, offset, align, name="", limits=None):
        value = self.builder.load(ty, self.at(base, offset), name)
        value.align = align
        value.set_metadata("invariant.load", self.invariant)
        if limits:
            value.set_metadata("range", const_int_range(ty, *limits))
        return value

    def arguments(self, local):
        """The kernel's own arguments, from the argument block."""
        values = []
        for param, arg in zip(self.group.params, self.info.args, strict=False):
            if arg.kind == ARG_LOCAL:
                offset = self.load(self.types.i64, self.p["args"], arg.offset, 8)
                values.append(self.builder.gep(self.types.i8, local, [offset], arg.name))
            elif self.is_struct(param, arg):
                values.append(self.at(self.p["args"], arg.offset))
            else:
                value = self.load(param.type, self.p["args"], arg.offset, min(arg.align, BLOCK_ALIGN), arg.name)
                values.append(value)
        return values

    def is_struct(self, param, arg):
        """A struct by value: the parameter is its address."""
        return arg.kind == 0 and param.type.is_pointer


class RangeBuilder(KernelBuilder):
    """... that is a clpy_kernel_fn."""
    PARAMS = ("launch", "args", "mem", "gx.first", "gx.end", "gy", "gz")

    def launch_sizes(self, offset, name, limits):
        return [self.load(self.types.i64, self.p["launch"], offset + 8 * d, 8, f"{name}.{d}", limits)
                for d in DIMENSIONS]

    def enqueued_size(self):
        text = self.group.attribute_text(fr.REQD_SIZE)
        if text:
            return [self.types.i64.const(int(n)) for n in text.split(",")]
        return self.launch_sizes(fr.LAUNCH_LOCAL, "esize", (1, MAX_GROUP + 1))

    def group_sizes(self, enqueued, ids):
        """The size of this group: the last one of a dimension may be smaller."""
        if self.info.sees_groups and self.group.attribute_text(fr.UNIFORM_GROUPS) is not None:
            return enqueued
        b = self.builder
        least = intrinsic(self.module, "llvm.umin", [self.types.i64])
        out = []
        for d in DIMENSIONS:
            left = b.sub(self.total[d], b.mul(ids[d], enqueued[d], nuw=True, nsw=True), nuw=True, nsw=True)
            out.append(b.call(least, [left, enqueued[d]], f"lsize.{d}"))
        return out

    def build(self):
        b, t, p = self.builder, self.types, self.p
        self.attributes()
        entry, loop, done = (self.kernel.append_block(n) for n in ("entry", "group", "done"))
        b.at_end(entry)
        enqueued = self.enqueued_size()
        self.total = self.launch_sizes(fr.LAUNCH_GLOBAL, "gsize", (1, MAX_GLOBAL))
        offsets = self.launch_sizes(fr.LAUNCH_OFFSET, "goffset", (0, MAX_GLOBAL))
        local = self.load(t.pointer(3), p["mem"], fr.MEM_LOCAL, 8, "local")
        context = self.load(t.ptr, p["mem"], fr.MEM_CONTEXT, 8, "context")
        args = self.arguments(local)
        items = b.mul(b.mul(enqueued[0], enqueued[1], nuw=True, nsw=True), enqueued[2], "items", nuw=True, nsw=True)
        b.cond_br(b.icmp("ult", p["gx.first"], p["gx.end"]), loop, done)
        b.at_end(loop)
        gx = b.phi(t.i64, "gx")
        ids = [gx, p["gy"], p["gz"]]
        sizes = self.group_sizes(enqueued, ids)
        bases = [b.add(offsets[d], b.mul(ids[d], enqueued[d], nuw=True, nsw=True), f"gbase.{d}", nuw=True, nsw=True)
                 for d in DIMENSIONS]
        b.call(self.group, [*args, *sizes, *bases, *ids, items, p["launch"], local, context])
        following = b.add(gx, t.i64.const(1), nuw=True, nsw=True)
        gx.add_incoming(p["gx.first"], entry)
        gx.add_incoming(following, loop)
        b.cond_br(b.icmp("ult", following, p["gx.end"]), loop, done)
        b.at_end(done).ret()
        return self.kernel


class GroupBuilder(KernelBuilder):
    """... for one group, whose frame it is given in memory, in the order of frame.GROUP_FRAME; or one row of it."""
    PARAMS = ("frame", "args", "launch")

    def build(self):
        self.attributes()
        self.kernel.align = CODE_ALIGN
        b = self.builder.at_end(self.kernel.append_block("entry"))
        frame = [self.framed(8 * i, name, param)
                 for i, (name, param) in enumerate(fr.frame_of(self.group, fr.GROUP_FRAME).items())]
        b.call(self.group, [*self.arguments(frame[fr.GROUP_FRAME.index("local")]), *frame])
        b.ret()
        return self.kernel

    def framed(self, offset, name, param):
        if name == "launch":
            return self.p["launch"]
        return self.load(param.type, self.p["frame"], offset, 8, name, LIMITS.get(name.partition(".")[0]))


def builder_of(module, group, lowering):
    """What makes the kernel function, and what its calls run. Who asks where memory lies asks the range's function
    (passes/generic_spaces.py)."""
    if not lowering.is_made_again or any(get_function(module, name) is not None for name in (IS_LOCAL, IS_PRIVATE)):
        return RangeBuilder, RANGE
    return GroupBuilder, ROW if group.attribute_text(fr.ROWS) is not None else GROUP


def sees_groups(group, info):
    """Whether it matters to the kernel how the range is cut into groups: local memory is one for each of them. A size
    that the code was specialized for is not the kernel's own: the last group may still be smaller."""
    return (group.attribute_text(fr.SEES_GROUPS) is not None or any(info.reqd_size or ())
            or info.local_bytes > 0 or any(arg.kind == ARG_LOCAL for arg in info.args))


def may_wait(function):
    """Whether something in it may depend on what others write meanwhile. A counter that it only adds to is not read."""
    return any(inst.has_users and (inst.opcode in ("atomicrmw", "cmpxchg") or inst.is_atomic or inst.is_volatile)
               for inst in function.instructions_of("atomicrmw", "cmpxchg", "load"))


def note_waiting(module, kernels):
    """What is called and not inlined may be any kernel's."""
    found = {fr.kernel_of(f) for f in functions(module) if not f.is_declaration and may_wait(f)}
    for info in kernels.values():
        info.may_spin = None in found or info.name in found


def run(module, lowering):
    with_turns = {region.attribute_text(fr.KERNEL) for region in functions(module) if region.has_attribute(fr.TURNS)}
    for group in fr.of_role(functions(module), "group"):
        name = group.attribute_text(fr.KERNEL)
        info = lowering.kernels[name]
        info.context_bytes = int(group.attribute_text(fr.CONTEXT_BYTES) or 0)
        info.local_bytes = int(group.attribute_text(fr.LOCAL_BYTES) or 0)
        info.private_bytes = int(group.attribute_text(fr.PRIVATE_BYTES) or 0)
        info.preferred_multiple = max(info.preferred_multiple, lowering.vector_bits // 32 if lowering.optimize else 1)
        # a model's groups are as they are given
        info.sees_groups = bool(lowering.target.lockstep) or sees_groups(group, info)
        builder, info.unit = builder_of(module, group, lowering)
        kernel = builder(module, group, info).build()
        widths = [width for region, width, _, _ in lowering.report if region.startswith(f"{name}.")]
        # The short list of passes loses loops within a region that runs one by one, for as long as first code is used,
        # but for those that are known to gain much.
        if widths and (max if lowering.is_made_again else min)(widths) > 1:
            kernel.add_attribute(fr.TURNS if name in with_turns else fr.VECTORS)
    keep_apart(module, lowering)
    module.run_passes("always-inline,globaldce")
    note_waiting(module, lowering.kernels)
