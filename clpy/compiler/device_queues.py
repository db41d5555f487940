# SPDX-License-Identifier: Apache-2.0
"""Programs whose kernels enqueue others: what the front end makes for them that no back end has.

A block that is enqueued has a kernel of its own, which takes the address of what the block has captured, and local
memory. Such kernels are the program's; the host does not see them. Queues and events are numbers and addresses to
kernels, of types that exist in no back end, and that may stand anywhere: in variables, in structs, in what a block has
captured. So they are replaced in the module's text, all at once.
"""
from clpy.compiler.metadata import QUEUE_SPACE, is_block

FEATURE = "__opencl_c_device_enqueue"
QUEUE, EVENT = "spirv.Queue", "spirv.DeviceEvent"
# What turns pointers into them and back, where SPIR-V has pointers (compiler/spirv_blocks.py).
OPAQUE_OF = {QUEUE: "__clpy_queue_at", EVENT: "__clpy_device_event_at"}
POINTER_OF = {QUEUE: "__clpy_address_of_queue", EVENT: "__clpy_address_of_device_event"}
CASTS = {OPAQUE_OF[QUEUE]: "addrspacecast", POINTER_OF[QUEUE]: "addrspacecast", OPAQUE_OF[EVENT]: "ptrtoint",
         POINTER_OF[EVENT]: "inttoptr"}
NULL_EVENT = "__clpy_null_event"
ENQUEUE_BLOCK = "__clpy_enqueue_block"   # of the library, for SPIR-V: size and alignment of what is captured are given
LOCAL_SIZES = "__clpy_local_sizes"       # and how many: calls before those of what enqueues a block of SPIR-V
# Of the core, for SPIR-V too.
ITEMS_OF_SUB_GROUPS, MOST_SUB_GROUPS = "__clpy_kernel_items_of_sub_groups", "__clpy_kernel_most_sub_groups"
PLAIN = ((QUEUE, f"ptr addrspace({QUEUE_SPACE})"), (EVENT, "i64"))


def hide_blocks(module):
    """Blocks of two sources may have kernels of the same name."""
    from clpy.llvm.ir import functions
    for function in functions(module):
        if is_block(function):
            function.set_internal()


def has_types(module):
    """Nothing can be done with a queue or an event but by a function."""
    from clpy.llvm.ir import functions
    for function in functions(module):
        signature = function.value_type
        if any(t.target_ext_name in (QUEUE, EVENT) for t in (signature.returns, *signature.params)):
            return True
    return False


def plain(module, types=PLAIN, casts=CASTS):
    """The same module without these types; another object where it has some. `types`: what takes their place, and
    `casts` what stands for the functions that turn pointers into them and back."""
    from clpy.llvm.module import Module
    if not has_types(module):
        return module
    text = module.to_text()
    for name, type_ in types:
        text = text.replace(f'target("{name}")', type_)
    module = Module.from_text(text)
    for name, cast in casts.items():
        replace_casts(module, name, cast)
    return module


def replace_casts(module, name, cast):
    from clpy.llvm.ir import Builder, get_function
    function = get_function(module, name)
    for call in function.users if function is not None else ():
        call.replace_with(Builder(module).before(call).cast(cast, call.args[0], call.type))
        call.erase()
