# SPDX-License-Identifier: Apache-2.0
"""Turn each kernel into a work-item function: what it asks the runtime (ids, sizes) becomes parameters, its frame.

`kernel(args)` becomes `kernel.item(args, frame)`. Sizes of the launch are loads from the launch record. An id with a
dimension beyond 2 is 0 and a size is 1, as the specification says; the dimension may be known at run time only.
"""
from clpy.compiler import frame as fr
from clpy.compiler.analysis.builtin_table import CUT, FENCE, ID, TOGETHER, base_name
from clpy.compiler.analysis.calls import row_called
from clpy.compiler.frame import local_linear_id
from clpy.compiler.metadata import BLOCK_ALIGN, is_kernel
from clpy.compiler.spmd.sub_groups import MAX_SUB_GROUP_SIZE
from clpy.llvm.ir import Builder, Types, declare, functions, md_node, md_operands

LAUNCH_FIELD = {  # function -> (offset in the launch record, value beyond dimension 2)
    "get_global_size": (fr.LAUNCH_GLOBAL, 1),
    "get_enqueued_local_size": (fr.LAUNCH_LOCAL, 1),
    "get_num_groups": (fr.LAUNCH_GROUPS, 1),
    "get_global_offset": (fr.LAUNCH_OFFSET, 0),
}
# What a work-item may ask without learning how the range is cut into groups.
OF_THE_RANGE = {"get_global_id", "get_global_size", "get_global_offset", "get_global_linear_id", "get_work_dim"}
SHARED = {"__clpy_group_given": 0, "__clpy_group_gets": 8}   # -> where in context memory, bytes per work-item
BEYOND = {"get_global_id": 0, "get_local_id": 0, "get_group_id": 0, "get_local_size": 1}


NARROW_SCOPES = (0, 4)      # memory_scope_work_item, memory_scope_sub_group
OF_SUB_GROUPS = ("get_num_sub_groups", "get_enqueued_num_sub_groups", "sub_group_barrier")


class Frame:
    """Makes each value of the frame once, at the entry of the work-item function."""

    def __init__(self, module, item):
        self.module, self.item = module, item
        self.types = Types(module)
        self.params = fr.frame_of(item)
        # The first instruction may be a call that gets erased, so values are put before one of our own.
        self.anchor = Builder(module).before(item.entry.first).alloca(self.types.i8)
        self.builder = Builder(module).before(self.anchor)
        self.invariant = md_node(module, [])
        self.made = {}

    def launch_load(self, offset, ty):
        b, at = self.builder, self.params["launch"]
        if offset:
            at = b.gep(self.types.i8, at, [self.types.i64.const(offset)])
        value = b.load(ty, at)
        value.set_metadata("invariant.load", self.invariant)
        return value

    def value(self, name, dim):
        """`name`(`dim`) for dim 0 to 2."""
        key = (name, dim)
        if key not in self.made:
            self.made[key] = self.make(name, dim)
        return self.made[key]

    def make(self, name, dim):
        p, b = self.params, self.builder
        if name == "get_local_id":
            return p[f"lid.{dim}"]
        if name == "get_group_id":
            return p[f"group.{dim}"]
        if name == "get_local_size":
            return p[f"lsize.{dim}"]
        if name == "get_global_id":
            return b.add(p[f"gbase.{dim}"], p[f"lid.{dim}"], f"gid.{dim}", nuw=True, nsw=True)
        offset, _ = LAUNCH_FIELD[name]
        return self.launch_load(offset + 8 * dim, self.types.i64)

    def scalar(self, name):
        """The functions without an argument."""
        if (name, None) not in self.made:
            self.made[name, None] = self.make_scalar(name)
        return self.made[name, None]

    def make_scalar(self, name):
        b = self.builder
        if name == "get_work_dim":
            return self.launch_load(fr.LAUNCH_WORK_DIM, self.types.i32)
        if name == "__clpy_launch_flags":
            return self.launch_load(fr.LAUNCH_FLAGS, self.types.i32)
        if name == "get_local_linear_id":
            return local_linear_id(b, self.params)
        if name in SHARED:
            return b.gep(self.types.i8, self.params["context"], [b.mul(self.params["items"],
                                                                       self.types.i64.const(SHARED[name]))])
        if name == "get_num_sub_groups":
            return self.sub_groups([self.params[f"lsize.{d}"] for d in range(3)])
        if name == "get_enqueued_num_sub_groups":
            return self.sub_groups([self.value("get_enqueued_local_size", d) for d in range(3)])
        parts = [b.sub(self.value("get_global_id", d), self.value("get_global_offset", d)) for d in range(3)]
        high = b.add(b.mul(parts[2], self.value("get_global_size", 1)), parts[1])
        return b.add(b.mul(high, self.value("get_global_size", 0)), parts[0])

    def sub_groups(self, sizes):
        """How many sub-groups a group of these sizes is. How large one is, a later pass says."""
        b, t = self.builder, self.types
        x, y, z = sizes
        items = b.cast("trunc", b.mul(b.mul(x, y, nuw=True, nsw=True), z, nuw=True, nsw=True), t.i32)
        size = b.call(declare(self.module, MAX_SUB_GROUP_SIZE, t.function(t.i32, [])), [])
        return b.add(b.binop("udiv", b.sub(items, t.i32.const(1)), size), t.i32.const(1))

    def call_value(self, builder, name, args):
        """The value of a call; `builder` stands at the call."""
        if not args:
            return self.scalar(name)
        beyond = BEYOND.get(name, LAUNCH_FIELD.get(name, (0, 0))[1])
        dim = args[0]
        if dim.is_const_int:
            return self.value(name, dim.zext) if dim.zext < 3 else self.types.i64.const(beyond)
        value = self.types.i64.const(beyond)
        for d in (2, 1, 0):
            value = builder.select(builder.icmp("eq", dim, dim.type.const(d)), self.value(name, d), value)
        return value


def reqd_size(kernel):
    """(x, y, z) of reqd_work_group_size, or None."""
    node = kernel.metadata("reqd_work_group_size")
    return None if node is None else tuple(v.zext for v in md_operands(node))


def is_only_read(pointer):
    """Nothing stores through `pointer` or lets it go elsewhere."""
    for user in pointer.users:
        op = user.opcode
        if op == "load":
            continue
        if op in ("getelementptr", "addrspacecast", "bitcast"):
            if not is_only_read(user):
                return False
        elif op == "call" and user.callee.name.startswith("llvm.memcpy.") and user.operand(0) != pointer:
            continue
        else:
            return False
    return True


def copy_structs(module, item):
    """A struct given by value lies in the argument block, which is the work-items' common one: a kernel that
    writes to it gets a copy per work-item, and so does one that relies on more alignment than the block has."""
    types, builder = Types(module), Builder(module)
    for index, param in enumerate(item.params, start=1):
        struct = item.attribute_type("byval", index)
        if struct is None:
            continue
        item.remove_attribute("byval", index)
        align = item.attribute_value("align", index) or 1
        if align <= BLOCK_ALIGN and is_only_read(param):
            for name in ("noalias", "readonly"):
                item.add_attribute(name, index=index)
            continue
        copy = builder.before(item.entry.first).alloca(struct, f"{param.name}.copy")
        item.remove_attribute("align", index)
        copy.align = max(align, struct.align)
        param.replace_with(copy)
        builder.memcpy(copy, copy.align, param, min(align, BLOCK_ALIGN), types.i64.const(struct.size))


def make_item_function(module, kernel, group_size):
    args = [(p.name or f"arg.{i}", p.type) for i, p in enumerate(kernel.params)]
    size = reqd_size(kernel) or group_size
    item = fr.new_function(module, f"{kernel.name}.item", "item", args, fr.ITEM_FRAME, Types(module).void)
    item.take_blocks(kernel)
    for index, (old, new) in enumerate(zip(kernel.params, item.params, strict=False), start=1):
        item.copy_attributes(kernel, index, index)
        old.replace_with(new)
    item.add_attribute(fr.KERNEL, kernel.name)
    if kernel.attribute_text(fr.DISTINCT):
        item.add_attribute(fr.DISTINCT, kernel.attribute_text(fr.DISTINCT))
    if size:
        item.add_attribute(fr.REQD_SIZE, ",".join(map(str, size)))
    if kernel.attribute_text("uniform-work-group-size") in ("", "true"):
        item.add_attribute(fr.UNIFORM_GROUPS)
    return item


def is_wide(args):
    """A barrier of a sub-group orders memory for others than its work-items, which are in one thread."""
    return len(args) > 1 and not (args[1].is_const_int and args[1].zext in NARROW_SCOPES)


def replace_calls(module, item):
    frame = Frame(module, item)
    builder = Builder(module)
    for call in item.instructions_of("call"):
        callee = call.callee
        row = row_called(call)
        if row is not None and (row.kind == CUT or (row.kind == ID and row.name not in OF_THE_RANGE)):
            item.add_attribute(fr.SEES_GROUPS)
        if row is not None and row.name in SHARED:
            item.add_attribute(fr.SHARED_BYTES, 8 * len(SHARED))
        if row is not None and (row.kind == TOGETHER or row.name in OF_SUB_GROUPS):
            item.add_attribute(fr.SEES_GROUPS)
            item.add_attribute(fr.SUB_GROUPS)
        if row is not None and row.kind == ID:
            value = frame.call_value(builder.before(call), base_name(callee.name), call.args)
            call.replace_with(value)
            call.erase()
        elif row is not None and row.kind == FENCE:
            builder.before(call).fence(row.name == "sub_group_barrier" and not is_wide(call.args))
            call.erase()
    frame.anchor.erase()


def run(module, lowering):
    for kernel in list(filter(is_kernel, functions(module))):
        item = make_item_function(module, kernel, lowering.group_size)
        copy_structs(module, item)
        replace_calls(module, item)
        kernel.erase()  # IR has no calls of kernels: the front end makes them call a function of their own
