# SPDX-License-Identifier: Apache-2.0
"""From OpenCL C to a module for a VLIW chip: what Clang is told beside what it is told for the CPU device."""
from clpy.compiler import frontend
from clpy.compiler.options import ERRORS
from clpy.errors import CLError

MACHINE = ("-triple", "r600--", "-dwarf-version=5", "-main-file-name", "<source>")


def arguments(options, target, headers=None):
    """Arguments of clang -cc1, as bytes. CLError for C++, whose pointers to any memory the chips do not have."""
    if options.is_cxx:
        raise CLError(ERRORS[options.stage], f"{options.text}: models of VLIW chips have no C++")
    return frontend.arguments(options, target, (*MACHINE, "-target-cpu", target.cpu), headers)


def compile_source(source, headers, options, target):
    """Clang's FrontendResult (module or None, log, reads_files, files) for an OpenCL C source."""
    from clpy.llvm import frontend as clang
    result = frontend.with_headers(target, frontend.texts_of(source, headers, options), lambda ours: clang.compile(
        source, arguments(options, target, ours), {**ours, **headers}))
    frontend.say_group_sizes(result.module, options)
    return result
