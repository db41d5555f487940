# SPDX-License-Identifier: Apache-2.0
"""From OpenCL C to a module for spir64: the arguments Clang gets for an option string and a target."""
import os
from functools import lru_cache

from clpy import config, extensions
from clpy.compiler.device_queues import FEATURE
from clpy.compiler.options import ERRORS, STATIC_CXX
from clpy.errors import CLError

TRIPLE = "spir64-unknown-unknown"
SPIR = ("-triple", TRIPLE)

# Always given, after what says for which target. Optimizing is left to the pipeline, which runs after the builtins are
# linked; at -O0 Clang would not say what types alias and how long variables live. Floating-point contraction is within
# expressions, as the language says. Line tables name the place of a fault, and of what became vectors; they change no
# code. Columns would double what they cost a build.
LINES = "-debug-info-kind=line-tables-only"
KEPT = 64                # what was worked out for so many options or targets
LONG_LINE = 4096         # characters: what a program wrote, not a person
VARIABLES = "-debug-info-kind=limited"          # for a debugger
FIXED = ("-emit-llvm-only", "-O2", "-disable-llvm-passes", "-finclude-default-header",
         "-fdeclare-opencl-builtins", "-nostdsysteminc", "-cl-kernel-arg-info", "-mframe-pointer=none",
         "-ffp-contract=on", "-fgnuc-version=4.2.1", "-ferror-limit", "100",
         "-gno-column-info")

NAMELESS = b"-discard-value-names"      # to keep names of values unique takes LLVM a while
SHOWS_CODE = 5                          # CLPY_DEBUG that does
UNIFORM_GROUPS = "uniform-work-group-size"          # of kernels, "true" or "false"

# A pointer to another type is a warning for the drivers that programs were written for, unless they ask for -Werror.
OTHER_POINTERS = "-Wno-error=incompatible-pointer-types"

SOURCE_NAME = "<source>"
WORKING_DIRECTORY = "."         # of the application: AMD's guide says that headers are looked for there

# Field of Options -> the argument. -cl-denorms-are-zero allows to flush, which we never do: it changes nothing, and
# builtins stay inlinable.
FLAGS = (
    ("no_warnings", "-w"),
    ("warnings_are_errors", "-Werror"),
    ("single_precision_constant", "-cl-single-precision-constant"),
    ("correct_divide_sqrt", "-cl-fp32-correctly-rounded-divide-sqrt"),
    ("mad_enable", "-cl-mad-enable"),
    ("no_signed_zeros", "-cl-no-signed-zeros"),
    ("unsafe_math", "-cl-unsafe-math-optimizations"),
    ("finite_math", "-cl-finite-math-only"),
    ("fast_relaxed_math", "-cl-fast-relaxed-math"),
    ("uniform_group_size", "-cl-uniform-work-group-size"),
)

# Extensions that Clang defines the macros of by itself (clang/Basic/OpenCLExtensions.def has no other way to ask).
CLANG_KNOWS = frozenset((
    "cl_khr_byte_addressable_store", "cl_khr_global_int32_base_atomics", "cl_khr_global_int32_extended_atomics",
    "cl_khr_local_int32_base_atomics", "cl_khr_local_int32_extended_atomics", "cl_khr_fp64", "cl_khr_fp16",
    "cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics", "cl_khr_3d_image_writes", "cl_khr_depth_images",
    "cl_khr_subgroups", "cl_khr_mipmap_image", "cl_khr_mipmap_image_writes",
    "cl_khr_srgb_image_writes",
))

# C++ for OpenCL. Nobody tells when the last kernel of a program has run, so objects of the program are never destroyed;
# and work-items of a vector cannot wait for each other until one has constructed a static object.
CXX = ("-fc++-static-destructors=none", "-fno-threadsafe-statics", "-fno-rtti")
LANGUAGES = ("cl_ext_cxx_for_opencl",)     # extensions that are languages: programs have no macros for them

# Clang fails on its own header's form, the bits of a number as an event.
NULL_EVENT = "clpy/null_event.h"
NULL_EVENT_WORD = b"CLK_NULL_EVENT"
NULL_EVENT_TEXT = b"""#ifdef __opencl_c_device_enqueue
#undef CLK_NULL_EVENT
#define CLK_NULL_EVENT __clpy_null_event()
clk_event_t __clpy_null_event(void);
#endif
"""

# Versions that Clang does not know: what they are for it. OpenCL C 3.1 is 3.0 with functions that extensions declare.
CLANG_STANDARDS = {"CL3.1": "CL3.0", STATIC_CXX: "CLC++2021"}

# Static C++ has kernels that Clang's C++ has not (llvm/static_cxx_shim.cpp), and what OpenCL C 1.2 has. Methods are
# called with pointers to any memory.
STATIC_KERNELS = (*(f"-D{word}=__attribute__((clpy_kernel))" for word in ("kernel", "__kernel")),
                  *(f"-D{word}=clpy_{word}" for word in ("reqd_work_group_size", "work_group_size_hint")),
                  "-Dvec_type_hint(type)=")
# It is from before C++11: `(float4)(i, 0, 0, 1)` and `{i, j}` convert integers.
BEFORE_CXX11 = "-Wno-c++11-narrowing"
GENERIC = "__opencl_c_generic_address_space"
STATIC_FEATURES = frozenset(("__opencl_c_images", "__opencl_c_3d_image_writes", "__opencl_c_fp64", "__opencl_c_int64"))

# Functions that Clang has no declarations of: feature -> macro, what it stands for.
MACROS = {f"__opencl_c_kernel_clock_scope_{scope}": (
    (f"clock_read_{scope}()", "((ulong)__builtin_readcyclecounter())"),
    (f"clock_read_hilo_{scope}()", "__builtin_astype((ulong)__builtin_readcyclecounter(), uint2)"))
    for scope in ("device", "work_group", "sub_group")}


def arguments(options, target, machine=SPIR, headers=None):
    """Arguments of clang -cc1, as bytes; `machine` says for which target, `headers` which of ours are read. CLError
    when the device does not have the language asked for."""
    usual = usual_arguments if len(options.text) < LONG_LINE else usual_arguments.__wrapped__
    args = [*options.of_extensions]
    for name in all_headers(target) if headers is None else headers:
        args += ["-include", name]
    for value in options.defines:
        args += ["-D", value]
    for folder in (*options.includes, WORKING_DIRECTORY):
        args += ["-I", folder]
    return [*usual(options, target, machine), *(arg.encode("utf-8", "surrogateescape") for arg in args)]


@lru_cache(KEPT)
def usual_arguments(options, target, machine):
    """Those that are no texts of the program's."""
    if options.version > target.c_version:
        has = f"{target.c_version / 100:.1f}"
        raise CLError(ERRORS[options.stage], f"-cl-std={options.std}: the device has OpenCL C {has}")
    # Static C++ is from before there were pointers to any memory. What Clang makes of it has some, which go where it is
    # known what they point to (amdgpu/code.py).
    if options.is_cxx and not options.is_static_cxx and "cl_ext_cxx_for_opencl" not in target.extensions:
        raise CLError(ERRORS[options.stage], f"{options.std}: the device has no C++ for OpenCL")
    standard = CLANG_STANDARDS.get(options.std, options.std or "CL1.2")
    args = [*machine, *FIXED, VARIABLES if options.debug and machine is SPIR else LINES,
            *(CXX if options.is_cxx else ()), f"-cl-std={standard}", f"-D__OPENCL_VERSION__={target.version}"]
    features = target.c_features
    if options.is_static_cxx:
        features = (GENERIC, *(name for name in features if name in STATIC_FEATURES))
        args += ["-U__OPENCL_CPP_VERSION__", BEFORE_CXX11, *STATIC_KERNELS]
    if options.std in CLANG_STANDARDS:
        args += ["-U__OPENCL_C_VERSION__", f"-D__OPENCL_C_VERSION__={options.version}"]
    if target.c_version >= 310:
        args.append("-DCL_VERSION_3_1=310")
    # What programs may enable; Clang has a meaning for some of it.
    known = (*target.extensions, *extensions.OF_NO_LANGUAGE)
    # Macros of the others' features say in older versions of the language too what Clang may declare.
    named = [name for name in features if name not in extensions.FEATURES]
    args.append("-cl-ext=" + ",".join(["-all", *("+" + name for name in (*known, *named))]))
    args += [f"-D{name}=1" for name in features if name in extensions.FEATURES]
    args += [f"-D{macro}={text}" for name in features for macro, text in MACROS.get(name, ())]
    args += [f"-D{name}=1" for name in target.extensions if name not in CLANG_KNOWS and name not in LANGUAGES]
    args += [f"-D{name}=1" for name in target.macros]
    if "__opencl_c_images" not in features:
        args.append("-U__IMAGE_SUPPORT__")  # Clang has it for every spir target
    args += [flag for field, flag in FLAGS if getattr(options, field)]
    if not options.warnings_are_errors:
        args.append(OTHER_POINTERS)
    return tuple(arg.encode("utf-8", "surrogateescape") for arg in args)


def texts_of(source, headers, options):
    """All that a program consists of, but for files that it includes."""
    return [source, *headers.values(), "\n".join(options.defines).encode("utf-8", "surrogateescape")]


@lru_cache(KEPT)
def all_headers(target):
    """{name: text} of those that Clang may have to read before a program."""
    found = extensions.declarations(target.extensions)
    if FEATURE in target.c_features:
        found[NULL_EVENT] = NULL_EVENT_TEXT
    return found


@lru_cache(KEPT)
def words_for(target):
    """{name of such a header: the word that it is read for}; without one it always is."""
    found = {extensions.header(name): extensions.word_of(name) for name in target.extensions
             if extensions.declaration(name)}
    if FEATURE in target.c_features:
        found[NULL_EVENT] = NULL_EVENT_WORD
    return found


def needed(target, texts):
    """Those of them for which there is a word in the texts."""
    found = all_headers(target)
    return {name: found[name] for name, word in words_for(target).items()
            if not word or any(word in text for text in texts)}


def with_headers(target, texts, compile):
    """What `compile(our headers)` makes of a program of these texts. All headers take longer than most programs. Files
    that it includes are known only then, and they may have words for more; so may what macros put together, which is an
    error where it is not declared."""
    headers = needed(target, texts)
    result = compile(headers)
    texts = [*texts, *map(text_of, result.files)]
    puts_together = result.module is None and any(b"##" in text for text in texts)
    if not puts_together and not result.files:
        return result
    more = all_headers(target) if puts_together else needed(target, texts)
    return result if len(more) == len(headers) else compile(more)


def text_of(path):
    """Of a file that was read a moment ago; a FIFO, for one, would be waited for."""
    try:
        return extensions.read(path) if os.path.isfile(path) else b""
    except OSError:
        return b""


def compile_source(source, headers, options, target, names=False):
    """Clang's FrontendResult (module or None, log, reads_files, files) for an OpenCL C source. `names`: values are to
    have the names that the source has for them, for who reads the module."""
    from clpy.llvm import frontend
    nameless = [] if names or options.debug or config.get("DEBUG") >= SHOWS_CODE else [NAMELESS]
    result = with_headers(target, texts_of(source, headers, options), lambda ours: frontend.compile(
        ended(source), [*arguments(options, target, headers=ours), *nameless], {**ours, **headers},
        options.source_file or SOURCE_NAME))
    say_group_sizes(result.module, options)
    return result


def say_group_sizes(module, options):
    """Clang takes C++ for an old version of OpenCL C, in which all groups of a launch have one size. `module` may be
    None."""
    from clpy.llvm.ir import functions
    if not options.is_cxx or module is None:
        return
    for function in functions(module):
        if function.attribute_text(UNIFORM_GROUPS) is not None:
            function.add_attribute(UNIFORM_GROUPS, "true" if options.has_uniform_groups else "false")


def ended(source):
    """Where the last line does not end, Clang looks through all of it for each place in it."""
    return source + b"\n" if len(source) - source.rfind(b"\n") > LONG_LINE else source
