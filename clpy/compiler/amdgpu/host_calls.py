# SPDX-License-Identifier: Apache-2.0
"""Functions of the core that kernels call (clpy/core/enqueue_kernel.pyx), as calls of the host that a chip's code makes
(include/clpy_host_calls.h), and the kernels of blocks in the form in which the core starts them.
"""
from clpy.llvm.opcodes import AMDGPU_KERNEL, FUNCTION

PREFIX = "__clpy_"
# In the order of the header.
NAMES = ("enqueue_kernel", "enqueue_marker", "default_queue", "kernel_work_group_size", "kernel_preferred_multiple",
         "kernel_sub_group_size", "kernel_most_sub_groups", "kernel_items_of_sub_groups", "kernel_sub_group_count",
         "retain_event", "release_event", "is_valid_event", "create_user_event", "null_event", "set_user_event_status",
         "capture_event_times")
NUMBERS = {PREFIX + name: number for number, name in enumerate(NAMES)}
CALL = "__clpy_call_host"
GENERIC, PRIVATE = 0, 5
HANDLE = ".runtime.handle"      # of the variable that Clang takes for a block's kernel
INVOKE = "_block_invoke"        # in the names of blocks' functions
GROUP_SIZE = "1,256"            # as Clang has it for kernels that do not say


def as_word(builder, types, value):
    if not value.type.is_pointer:
        return value if value.type.width == 64 else builder.cast("zext", value, types.i64)
    if value.type.address_space == PRIVATE:
        value = builder.cast("addrspacecast", value, types.pointer(GENERIC))
    return builder.cast("ptrtoint", value, types.i64)


def define(module, function, to_word=as_word, private=PRIVATE):
    """The body of one of them: its parameters become words. `private`: the address space of their memory."""
    from clpy.llvm.ir import Builder, Types, declare
    types, builder = Types(module), Builder(module).at_end(function.append_block())
    params = function.params
    words = builder.alloca(types.array(types.i64, max(len(params), 1)))
    for index, param in enumerate(params):
        builder.store(to_word(builder, types, param), builder.gep(types.i64, words, [types.i64.const(index)]))
    call = declare(module, CALL, types.function(types.i64, [types.i32, types.pointer(private)]))
    result = builder.call(call, [types.i32.const(NUMBERS[function.name]), words])
    builder.ret(from_word(builder, result, function.value_type.returns))
    function.set_internal()


def from_word(builder, word, type_):
    if type_.is_void:
        return None
    if type_.is_pointer:
        return builder.cast("inttoptr", word, type_)
    return word if type_ == word.type else builder.cast("trunc", word, type_)


def plain_blocks(module):
    """Clang makes for AMD's runtime kernels that take what a block has captured by value, and variables that stand for
    them. As for the CPU device they take its address here, and stand for themselves."""
    from clpy.llvm.ir import functions, get_global
    handles = {function: handle for function in functions(module)
               if function.call_conv == AMDGPU_KERNEL and (handle := get_global(module, function.name + HANDLE))}
    if not handles:
        return
    used = get_global(module, "llvm.used")      # keeps both
    if used is not None:
        used.erase()
    for function, handle in handles.items():
        kernel = by_address(module, function)
        for user in handle.users:
            user.replace_with(kernel)
        handle.erase()


def by_address(module, old):
    from clpy.llvm.ir import Builder, Types, add_function
    types = Types(module)
    name, old.name = old.name, f"{old.name}.by_value"
    params = [types.pointer(GENERIC), *old.value_type.params[1:]]
    made = add_function(module, name, types.function(types.void, params))
    made.call_conv = AMDGPU_KERNEL
    made.copy_attributes(old, FUNCTION, FUNCTION)
    made.add_attribute("amdgpu-flat-work-group-size", GROUP_SIZE)
    made.set_internal()
    call, = old.instructions_of("call")
    builder = Builder(module).at_end(made.append_block())
    builder.call(call.callee, made.params)
    builder.ret()
    old.erase()
    return made


def number_blocks(module, infos):
    """The address of a block's kernel becomes its number among the program's kernels, as passes/blocks.py has it for
    the CPU device, and that of its function, which the front end puts into what is captured, nothing."""
    from clpy.compiler.passes.blocks import number_kernels
    from clpy.llvm.ir import functions
    if not any(info.is_block for info in infos.values()):
        return
    number_kernels(module, infos)
    for function in functions(module):
        if INVOKE in function.name and function.call_conv != AMDGPU_KERNEL:
            for user in function.users:
                if user.opcode == "store":
                    user.set_operand(0, function.type.null)
