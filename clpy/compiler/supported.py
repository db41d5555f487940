# SPDX-License-Identifier: Apache-2.0
"""What is too much of a program: refused in words, before any of it is lowered."""
from clpy.compiler.passes.errors import LoweringError
from clpy.compiler.passes.memory import LOCAL

MOST_ARGUMENTS = 4096         # as many bytes as CL_DEVICE_MAX_PARAMETER_SIZE
MOST_VARIABLES = 1 << 30      # bytes: machine code reaches 2 GiB, and they are in the build's memory more than once


def check(module):
    """LoweringError where a linked module has a function or variables that no code can be made for."""
    from clpy.llvm.ir import functions, global_variables
    for function in functions(module):
        if function.n_params > MOST_ARGUMENTS:
            raise LoweringError(f"'{function.name}' has {function.n_params} arguments; {MOST_ARGUMENTS} are the most")
    variables = {v: v.value_type.size for v in global_variables(module) if v.address_space != LOCAL}
    total = sum(variables.values())
    if total > MOST_VARIABLES:
        largest = max(variables, key=variables.get)
        raise LoweringError(f"the program's variables take {total} bytes, '{largest.name}' alone {variables[largest]}; "
                            f"{MOST_VARIABLES} are the most")
