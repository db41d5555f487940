# SPDX-License-Identifier: Apache-2.0
"""-save-temps: what a build made on the way, in files named as AMD's compiler names them,

    PREFIX_NUMBER_DEVICE_KERNEL.il     the kernel as the program's bitcode has it, as text: nobody makes AMD's IL
    PREFIX_NUMBER_DEVICE_KERNEL.isa    its machine code
    PREFIX_NUMBER_DEVICE.s             the program's assembly, as clCreateProgramWithAssemblyAMD takes it

in the current folder, or where the prefix of -save-temps=PREFIX says. A file that is there is left alone: the number is
one that no file has.
"""
import glob
import itertools
import os
import re

PREFIX = "_temp"
NOT_IN_NAMES = re.compile(r"[^\w.$-]", re.ASCII)
LONGEST = 200           # characters of a kernel's name; folders take names of 255

_numbers = itertools.count()


def save(executable, device, options, target):
    """A warning for the build log where files cannot be written, "" where all are."""
    prefix = options.temps_prefix or PREFIX
    number = next(n for n in _numbers if not glob.glob(f"{glob.escape(prefix)}_{n}_*"))
    try:
        for kernel, ending, text in texts(executable, options, target):
            name = NOT_IN_NAMES.sub("_", f"{device}{kernel}"[:LONGEST])
            write(f"{prefix}_{number}_{name}{ending}", text)
    except OSError as why:
        return f"warning: -save-temps: {why.filename}: {why.strerror}\n"
    return ""


def write(path, text):
    """A new file; whatever has the name already stays."""
    new = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    with open(new, "w", encoding="utf-8") as file:
        file.write(text)


def texts(executable, options, target):
    """(_KERNEL, ending, text) of each file; "" for that of all kernels."""
    from clpy.compiler.amdgpu import code, facts
    program = facts.read_program(executable.objects[0], executable.kernels)
    for name, kernel in program.kernels.items():
        if executable.ir:
            yield f"_{name}", ".il", intermediate(executable.ir, name)
        end = kernel.entry + kernel.size
        yield f"_{name}", ".isa", "".join(f"{row.offset - kernel.entry:8x}  {row.text}\n" for row in program.listing
                                    if kernel.entry <= row.offset < end)
    if executable.ir:
        yield "", ".s", code.assembly(executable.ir, target, options)


def intermediate(ir, name):
    """The module's text with this kernel alone."""
    from clpy.compiler.amdgpu.code import is_kernel
    from clpy.llvm.ir import functions
    from clpy.llvm.module import Module
    module = Module.from_bitcode(ir)
    for function in functions(module):
        if is_kernel(function) and function.name != name and not function.has_users:
            function.erase()
    module.run_passes("globaldce")
    return module.to_text()
