# SPDX-License-Identifier: Apache-2.0
"""The values a work-item function has besides the kernel's own arguments: its frame.

Each function between the passes work_items and kernel_abi ends in these parameters, in this order; functions that
run a whole group lack the first three. A pass finds them by name.
"""
from clpy.abi_layout import GROUP_MEM, KERNEL_PREFIX, LAUNCH, LAUNCH_STREAMS
from clpy.llvm.ir import Types, add_function, functions

LOCAL_IDS = ("lid.0", "lid.1", "lid.2")
GROUP_FRAME = (
    "lsize.0", "lsize.1", "lsize.2",   # size of this group
    "gbase.0", "gbase.1", "gbase.2",   # global id of its first work-item, the offset included
    "group.0", "group.1", "group.2",   # its id
    "items",                           # work-items of a full group: the stride of context memory
    "launch",                          # const clpy_launch *
    "local",                           # __local memory of the group
    "context",                         # context memory of the group
)
ITEM_FRAME = LOCAL_IDS + GROUP_FRAME

# Byte offsets in clpy_launch, whose sizes are uint64_t[3], and in clpy_group_mem.
LAUNCH_FLAGS, LAUNCH_WORK_DIM = LAUNCH["flags"], LAUNCH["work_dim"]
LAUNCH_OFFSET, LAUNCH_GLOBAL = LAUNCH["global_offset"], LAUNCH["global_size"]
LAUNCH_LOCAL, LAUNCH_GROUPS = LAUNCH["local_size"], LAUNCH["num_groups"]
MEM_LOCAL, MEM_CONTEXT = GROUP_MEM["local"], GROUP_MEM["context"]
LAUNCH_OBSERVER = LAUNCH["observer"]
STREAMS = LAUNCH_STREAMS
INITIALIZE = "clpy.initialize"  # the kernel that constructs the objects of a program (compiler/initializers.py)

# String attributes that carry what passes found from one to the next.
KERNEL = "clpy-kernel"          # the kernel a function belongs to
ROLE = "clpy-role"              # one of:
ITEM, REGION, SCALAR, FOREACH, GROUP = "item", "region", "scalar", "foreach", "group"
REQD_SIZE = "clpy-reqd-size"    # "x,y,z"
UNIFORM_GROUPS = "clpy-uniform-groups"  # all groups have the enqueued size
DISTINCT = "clpy-distinct"              # "0,2": parameters through which alone a work-item reaches their memory
SEES_GROUPS = "clpy-sees-groups"        # asks for ids or sizes of groups, or waits for the others of its own
SPINS = "clpy-spins"                    # it waits in a loop for what another work-group writes
SUB_GROUPS = "clpy-sub-groups"          # its work-items do things together that are in a sub-group
CONTEXT_BYTES = "clpy-context-bytes"
SHARED_BYTES = "clpy-shared-bytes"      # of those, at the start: what work-items give each other
PRIVATE_BYTES = "clpy-private-bytes"
LOCAL_BYTES = "clpy-local-bytes"
LANE = "clpy-lane-dimension"    # along which a function for one lane of a vector counts, or:
WAVE = "wave"                   # in all dimensions, dimension 0 first
TURNS = "clpy-turns"            # of a region that runs one by one, and of its kernel's function where others are
                                # vectors: LLVM makes vectors of the turns of its loops
VECTORS = "clpy-vectors"        # of a kernel function: all of its regions run as vectors of work-items, in code that
                                # is made again some; of a loop over a group: its region does
ROWS = "clpy-rows"              # of a group function: it runs one row, and does the same for each
IN_TURN = "clpy-in-turn"        # of a region: a group's work-items may run one by one for long
EXITS = "clpy-exits"            # of a region: none, uniform or varying
VARIABLE = "clpy.variable"      # metadata: the address of a variable in local memory
CARRIED = (KERNEL, REQD_SIZE, UNIFORM_GROUPS, SEES_GROUPS, SUB_GROUPS, CONTEXT_BYTES, PRIVATE_BYTES, LOCAL_BYTES)


def frame_types(module, names):
    t = Types(module)
    number, others = t.i64, {"launch": t.ptr, "local": t.pointer(3), "context": t.ptr}
    return [others.get(name, number) for name in names]


def new_function(module, name, role, args, frame, returns, like=None):
    """An internal function with parameters `args` ((name, type) pairs) and then the frame; it is inlined later."""
    t = Types(module)
    types = [ty for _, ty in args] + frame_types(module, frame)
    function = add_function(module, name, t.function(returns, types))
    function.name_params([param_name for param_name, _ in args] + list(frame))
    if role != FOREACH:  # that is a declaration until work_item_loop defines it
        function.set_internal()
    for attribute in ("alwaysinline", "nounwind"):
        function.add_attribute(attribute)
    function.add_attribute(ROLE, role)
    if like is not None:
        function.copy_texts(like, CARRIED)
    return function


def frame_of(function, frame=ITEM_FRAME):
    """Name -> parameter, for the frame at the end of `function`'s parameters."""
    return dict(zip(frame, function.params[-len(frame):], strict=True))


def of_role(candidates, *roles):
    return [f for f in candidates if f.attribute_text(ROLE) in roles]


def kernel_functions(module):
    """What the pass kernel_abi makes of the kernels."""
    return [f for f in functions(module) if f.name.startswith(KERNEL_PREFIX) and not f.is_declaration]


def kernel_of(function):
    """Name of the kernel whose function it is, or a loop over a group that was not inlined; None: of no single one."""
    if function.name.startswith(KERNEL_PREFIX):
        return function.name.removeprefix(KERNEL_PREFIX)
    return function.attribute_text(KERNEL) if function.attribute_text(ROLE) == FOREACH else None


def code_functions(module):
    """The kernel functions, and the loops over a group that are not inlined into them."""
    return [f for f in functions(module) if not f.is_declaration and kernel_of(f) is not None]


def local_linear_id(builder, params):
    """(lid.2 * lsize.1 + lid.1) * lsize.0 + lid.0, which cannot wrap."""
    high = builder.add(builder.mul(params["lid.2"], params["lsize.1"], nuw=True, nsw=True), params["lid.1"],
                       nuw=True, nsw=True)
    return builder.add(builder.mul(high, params["lsize.0"], nuw=True, nsw=True), params["lid.0"],
                       "linear", nuw=True, nsw=True)
