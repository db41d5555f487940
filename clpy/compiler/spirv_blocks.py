# SPDX-License-Identifier: Apache-2.0
"""Device-side enqueue of translated SPIR-V, as Clang writes it.

The translator makes pointers of queues and events, and names functions of the module where Clang names kernels made for
them. Functions that turn a pointer into an opaque value and back stand for nothing: compiler/device_queues.py makes
casts of them.
"""
from clpy.compiler.device_queues import (
    ENQUEUE_BLOCK,
    EVENT,
    ITEMS_OF_SUB_GROUPS,
    LOCAL_SIZES,
    MOST_SUB_GROUPS,
    OPAQUE_OF,
    POINTER_OF,
    QUEUE,
)
from clpy.compiler.metadata import GENERIC_SPACE
from clpy.compiler.spirv_calls import call_instead, check_pointers, refuse, replace_all, symbol_of
from clpy.llvm.ir import SPIR_KERNEL, Builder, Function, Types, add_function, declare

# Function -> {parameter, or -1 for the result: what it is}, the parameter that names a block's function, or None.
ENQUEUE = {"__enqueue_kernel_basic": 3, "__enqueue_kernel_varargs": 3, "__enqueue_kernel_basic_events": 6,
           "__enqueue_kernel_events_varargs": 6}
OF_A_WORK_GROUP_SIZE = (ITEMS_OF_SUB_GROUPS, MOST_SUB_GROUPS)
LARGEST_ALIGN = 128
KNOWN = {
    **{name: ({0: QUEUE}, block) for name, block in ENQUEUE.items()},
    "__get_kernel_work_group_size_impl": ({}, 0),
    "__get_kernel_preferred_work_group_size_multiple_impl": ({}, 0),
    "__get_kernel_max_sub_group_size_for_ndrange_impl": ({}, 1),
    "__get_kernel_sub_group_count_for_ndrange_impl": ({}, 1),
    ITEMS_OF_SUB_GROUPS: ({}, 1), MOST_SUB_GROUPS: ({}, 0),      # told by the size of its work-groups (spirv_imports)
    "enqueue_marker": ({0: QUEUE}, None),
    "get_default_queue": ({-1: QUEUE}, None),
    "create_user_event": ({-1: EVENT}, None),
    **{name: ({0: EVENT}, None) for name in (
        "retain_event", "release_event", "is_valid_event", "set_user_event_status", "capture_event_profiling_info")},
}


class Rewriter:
    def __init__(self, module):
        self.module, self.types, self.builder = module, Types(module), Builder(module)
        self.kernels = {}       # function of a block -> the kernel made for it

    def opaque(self, name, pointer):
        return self.builder.call(declare(self.module, OPAQUE_OF[name], self.types.function(
            self.types.target_ext(name), [self.types.ptr])), [pointer])

    def pointer(self, name, value):
        return self.builder.call(declare(self.module, POINTER_OF[name], self.types.function(
            self.types.ptr, [self.types.target_ext(name)])), [value])

    def kernel_of(self, value):
        """In place of the function of a block, whatever casts there are around it; None where it is none."""
        while value.is_const_expr or value.opcode in ("addrspacecast", "bitcast"):
            value = value.operand(0)
        if not isinstance(value, Function):
            return None
        if value not in self.kernels and value not in self.kernels.values():
            signature = value.value_type
            kernel = add_function(self.module, f"{value.name or 'block'}_kernel",
                                  self.types.function(signature.returns, signature.params))
            kernel.call_conv = SPIR_KERNEL
            kernel.set_internal()
            inside = Builder(self.module).at_end(kernel.append_block("entry"))
            inside.call(value, kernel.params).set_call_conv(value.call_conv)
            inside.ret()
            self.kernels[value] = kernel
        return self.builder.cast("addrspacecast", self.kernels.get(value, value), self.types.pointer(GENERIC_SPACE))

    def enqueue_arguments(self, call, block):
        """As of the function for all forms. What the translator gives as the first size of local memory is that of what
        is captured (spirv_legalize)."""
        args, t = call.args, self.types
        check_pointers(call, (0, 2, block, block + 1))
        if len(args) < block + 4 or not args[block + 2].is_const_int or not args[block + 3].type.is_int:
            refuse(call)
        null, none = t.pointer(GENERIC_SPACE).null, t.i32.const(0)
        events = args[3:6] if block == 6 else [none, null, null]
        n_locals = max(args[block + 2].zext, 1) - 1
        sizes = self.local_sizes(call, n_locals) if n_locals else t.ptr.null
        size = args[block + 3]
        if size.type != t.i32:
            size = self.builder.before(call).cast("trunc", size, t.i32)
        return [*args[:3], *events, *args[block:block + 2], size, t.i32.const(LARGEST_ALIGN), t.i32.const(n_locals),
                sizes]

    def local_sizes(self, call, count):
        """The address of the sizes of a block's local memory, which a call before this one was made to keep."""
        kept = [inst for inst in call.block.instructions if inst == call or (inst.opcode == "call"
                and inst.callee.name == f"{LOCAL_SIZES}{count}")]
        keeper = kept[max(kept.index(call) - 1, 0)]
        if (keeper == call or keeper.has_users or len(keeper.args) != count
                or not all(size.type.is_int for size in keeper.args)):
            refuse(call)
        types, builder = self.types, self.builder
        array = types.array(types.i64, count)
        memory = builder.before(call.function.entry.instructions[0]).alloca(array)
        builder.before(call)
        for index, size in enumerate(keeper.args):
            place = builder.gep(array, memory, [types.i64.const(0), types.i64.const(index)])
            builder.store(size if size.type == types.i64 else builder.cast("zext", size, types.i64), place)
        keeper.erase()
        return memory

    def replace(self, call, name):
        (kinds, block), args, b = KNOWN[name], call.args, self.builder
        if name in ENQUEUE:
            args = self.enqueue_arguments(call, block)
            name, block = ENQUEUE_BLOCK, 6
        check_pointers(call, kinds)
        b.before(call)
        if block is not None and block < len(args):
            if name in OF_A_WORK_GROUP_SIZE:        # told by the call of what has a block
                args = [*args[:block], *(args[block].args[:1] if args[block].opcode == "call" else ())]
            args = [self.kernel_of(a) if i == block else a for i, a in enumerate(args)]
        if block is not None and (block >= len(args) or args[block] is None):
            refuse(call)
        args = [self.opaque(kinds[i], a) if i in kinds else a for i, a in enumerate(args)]
        returns = self.types.target_ext(kinds[-1]) if -1 in kinds else call.type
        symbol = name if name == ENQUEUE_BLOCK else symbol_of(call.callee)
        new = call_instead(self.module, self.types, b, symbol, returns, args)
        if not call.is_void:
            call.replace_with(self.pointer(kinds[-1], new) if -1 in kinds else new)
        call.erase()


def run(module):
    replace_all(module, KNOWN, Rewriter(module).replace)
