# SPDX-License-Identifier: Apache-2.0
"""What no code can be made for is refused in words, before any of a program is lowered: what is too much, functions
that are not what they are called for, and what a device with queues of its own would be needed for."""
from clpy.compiler.analysis.builtin_table import is_as_declared, row_of
from clpy.compiler.analysis.memory import LOCAL
from clpy.compiler.device_queues import (
    CASTS,
    ENQUEUE_BLOCK,
    FEATURE,
    ITEMS_OF_SUB_GROUPS,
    MOST_SUB_GROUPS,
    NULL_EVENT,
)
from clpy.compiler.lowering import LoweringError
from clpy.compiler.metadata import is_block
from clpy.compiler.passes.images import OF_PIPE_ADDRESS, RESERVATION_NUMBER, RESERVATION_OF
from clpy.compiler.spirv_named_barriers import INIT, WAIT

MOST_ARGUMENTS = 4096         # as many bytes as CL_DEVICE_MAX_PARAMETER_SIZE
MOST_VARIABLES = 1 << 30      # bytes: machine code reaches 2 GiB, and they are in the build's memory more than once
OURS = ("clpy.", "__clpy_")   # names that passes and the runtime use
OF_SPIRV = (NULL_EVENT, ENQUEUE_BLOCK, ITEMS_OF_SUB_GROUPS, MOST_SUB_GROUPS, *CASTS, *OF_PIPE_ADDRESS,
            RESERVATION_NUMBER, RESERVATION_OF, INIT, WAIT)


def check(module, target):
    """LoweringError for what a program's own code, linked to nothing yet, may not have."""
    from clpy.llvm.ir import SPIR_KERNEL, functions, global_variables
    for function in functions(module):
        if function.n_params > MOST_ARGUMENTS:
            raise LoweringError(f"'{function.name}' has {function.n_params} arguments; {MOST_ARGUMENTS} are the most")
        if function.is_declaration and function.has_users:
            check_declared(function)
        elif (function.call_conv == SPIR_KERNEL and function.has_users
              and not (FEATURE in target.c_features and is_block(function))):
            raise LoweringError(f"the address of '{function.name}' is taken, which is a kernel or what would be "
                                "enqueued as one: the device has no queues of its own")
    check_sizes({v: v.value_type.size for v in global_variables(module) if v.address_space != LOCAL})


def check_declared(function):
    name, type_ = function.name, function.value_type
    if name.startswith(OURS) and name not in OF_SPIRV:
        raise LoweringError(f"undefined reference to '{name}'")
    row = row_of(name)
    if row is not None and not is_as_declared(row, [str(p) for p in type_.params], str(type_.returns)):
        raise LoweringError(f"'{row.name}' has other parameters than it is declared with")


def check_sizes(variables):
    """`variables`: {variable: bytes}"""
    total = sum(variables.values())
    if total > MOST_VARIABLES:
        largest = max(variables, key=variables.get)
        raise LoweringError(f"the program's variables take {total} bytes, '{largest.name}' alone {variables[largest]}; "
                            f"{MOST_VARIABLES} are the most")


def check_calls(module):
    """LoweringError where a function of the linked module is called as if it were of another type."""
    from clpy.compiler.library import readable
    from clpy.llvm.ir import called_otherwise
    function = called_otherwise(module)
    if function is not None:
        raise LoweringError(f"'{readable(function.name)}' has other parameters than it is declared with")
