# SPDX-License-Identifier: Apache-2.0
"""From OpenCL C to a module for a chip: what Clang is told beside what it is told for the CPU device."""

from clpy.compiler import frontend
from clpy.compiler.amdgpu.listing import FEATURE
from clpy.records import replace

# Code object 5 is the last for the oldest chips. Which code comes from which line is always noted; code is the same.
MACHINE = ("-triple", "amdgcn-amd-amdhsa", "-mcode-object-version=5", "-target-feature", FEATURE,
           "-fvisibility=hidden", "-fapply-global-visibility-to-externs", "-dwarf-version=5",
           "-main-file-name", "<source>",
           "-D__IMAGE_SUPPORT__=1")
FLUSH = "-fdenormal-fp-math-f32=preserve-sign,preserve-sign"


def arguments(options, target, headers=None):
    """Arguments of clang -cc1, as bytes. OpenCL C 2.0 on a chip that has no pointers to any memory is 3.0, which does
    without: bindings ask for 2.0 where a program does not (the C++ ones do), and few programs need such pointers."""
    if options.std == "CL2.0" and not target.has_generic_pointers:
        options = replace(options, std="CL3.0")
    flush = [FLUSH] if target.flushes_denormals or options.denorms_are_zero else []
    return frontend.arguments(options, target, (*MACHINE, "-target-cpu", target.cpu, *flush), headers)


def compile_source(source, headers, options, target):
    """Clang's FrontendResult (module or None, log, reads_files, files) for an OpenCL C source."""
    from clpy.llvm import frontend as clang
    result = frontend.with_headers(target, frontend.texts_of(source, headers, options), lambda ours: clang.compile(
        source, arguments(options, target, ours), {**ours, **headers}))
    frontend.say_group_sizes(result.module, options)
    return result
