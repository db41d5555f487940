# SPDX-License-Identifier: Apache-2.0
"""THE option table: what the environment can change, each option once, with its type, default and meaning.

Read with `config.get("NUM_THREADS")`. The environment is read when this module is imported; `override` changes
values for a block (tests). `python -m clpy.config` prints docs/configuration.md. Imports next to nothing: the first
clGetPlatformIDs waits for it. A process that has more rights than its caller (secure_mode) has no environment.
"""
import os

from clpy.secure_mode import secure_mode


class Option:
    """One row. `kind` is int (`allowed` = lowest, highest), choice (`allowed` = the words), bool or text."""

    __slots__ = ("allowed", "default", "doc", "env", "kind", "name")

    def __init__(self, name, kind, default, doc, allowed=None, env=None):
        self.name = name
        self.kind = kind
        self.default = default
        self.doc = doc
        self.allowed = allowed
        self.env = env or "CLPY_" + name

    def parse(self, text):
        """The value for `text`; ValueError says what would be right."""
        if self.kind == "text":
            return text
        text = text.strip().lower()
        if self.kind == "bool":
            if text in ("1", "yes", "on", "true"):
                return True
            if text in ("0", "no", "off", "false"):
                return False
            raise ValueError("0 or 1")
        if self.kind == "choice":
            if text in self.allowed:
                return text
            raise ValueError("one of " + ", ".join(self.allowed))
        low, high = self.allowed
        wanted = f"a number from {low} to {high}"
        try:
            value = int(text, 0)
        except ValueError:
            raise ValueError(wanted) from None
        if not low <= value <= high:
            raise ValueError(wanted)
        return value


TABLE = (
    Option("DEBUG", "int", 0, "What is written to stderr; levels add up: 1 devices, and where in clpy "
           "an error of its own came from, 2 launches and their times, 3 build decisions, 4 kernel source, 5 IR after "
           "each pass, 6 machine code.", (0, 6)),
    Option("NUM_THREADS", "int", 0, "Threads of the CPU device; 0 takes what the affinity mask and the cgroup's "
           "quota allow.", (0, 4096)),
    Option("PIN_THREADS", "choice", "auto", "Whether each thread of the CPU device stays on a processor of its own, if "
           "there are as many threads as processors; auto: on virtual machines, whose systems place threads badly.",
           ("auto", "0", "1")),
    Option("MAX_COMPUTE_UNITS", "int", 0, "The most compute units that the CPU device has, whatever its threads would "
           "be; 0: no limit.", (0, 4096), env="CPU_MAX_COMPUTE_UNITS"),
    Option("DEVICES", "text", "cpu,gpu", "Devices to show, comma-separated, the default device first; what stands "
           "behind a colon says which of a kind: gpu is gpu:tahiti. A name that does not exist is reported, and where "
           "none is left there is cpu. Without it the file counts that `clpy devices` writes."),
    Option("HIDE_EXTENSIONS", "text", "", "Extensions that devices do not list, comma-separated, cl_intel_* for all "
           "of a kind: for programs whose room for the list is too small. Their queries are gone with them, their "
           "functions and what they are in OpenCL C stay."),
    Option("CPU_ISA", "choice", "native", "Instruction set that kernels are compiled for; native is the best the "
           "machine has.", ("native", "avx512", "avx2", "sse4.2")),
    Option("CACHE", "bool", True, "Keep built programs on disk and take them from there."),
    Option("CACHE_DIR", "text", "", "Folder of the cache; empty is $XDG_CACHE_HOME/clpy, else ~/.cache/clpy."),
    Option("CACHE_MAX_MB", "int", 1024, "Size in MiB above which the oldest entries of the cache are removed.",
           (1, 1 << 20)),
    Option("MEMORY_MB", "int", 0, "Memory of the CPU device in MiB, and of buffers, images and SVM together; "
           "0: what the machine and the control groups have.", (0, 1 << 30)),
    Option("OVERCOMMIT", "bool", False, "Give out more memory than there is. Without it buffers, images and SVM that "
           "would not fit when they are written fail with CL_MEM_OBJECT_ALLOCATION_FAILURE."),
    Option("BUILD_OPTIONS", "text", "", "Added at the end of the options of every clBuildProgram and "
           "clCompileProgram."),
    Option("AMD_BUILD_OPTIONS", "text", "", "Options of every clBuildProgram for models of AMD's chips, in place of "
           "those that it is called with.", env="AMD_OCL_BUILD_OPTIONS"),
    Option("AMD_BUILD_OPTIONS_APPEND", "text", "", "Added at the end of the options of every clBuildProgram for models "
           "of AMD's chips.", env="AMD_OCL_BUILD_OPTIONS_APPEND"),
    Option("SPIRV_TRANSLATOR", "text", "", "The program llvm-spirv, which reads SPIR-V; empty takes that of the "
           "wheel clpy-spirv, else llvm-spirv or llvm-spirv-22 to llvm-spirv-15 on PATH."),
    Option("AMD_DEVICE_LIBRARY", "text", "", "Folder of AMD's device library (opencl.bc, ocml.bc, ockl.bc, oclc_*.bc), "
           "which models of AMD's chips need; empty takes that of the wheel clpy-llvm, else that of the package "
           "rocm-device-libs."),
    Option("CLC_LIBRARY", "text", "", "Folder of libclc's bitcode (cypress-r600--.bc and others), which models of "
           "AMD's VLIW chips need; empty takes that of the package libclc-22."),
    Option("INTEL_COMPILER", "text", "", "Folder of Intel's offline compiler, the program ocloc and its libraries, "
           "which models of Intel's chips need; empty takes that of the package intel-opencl-icd."),
    Option("FAULTS", "int", 1, "Faults of kernels, such as bad addresses, are errors of their commands; 2: with the "
           "very work-group, at the price of a call for each; 0: they end the process.", (0, 2)),
    Option("TIMELINE", "text", "", "A file that the commands, builds and faults of a program are added to, as trace "
           "events that Perfetto and chrome://tracing show; \"clpy trace\" makes a table of it."),
    Option("LEAKS", "bool", False, "Report at exit the API objects that the application did not release."),
    Option("USE_VECTORIZER", "bool", True, "Vectorize kernels over work-items.", env="CL_CONFIG_USE_VECTORIZER"),
    Option("CPU_VECTORIZER_MODE", "choice", "0", "Work-items per vector; 0 chooses per kernel, 1 is scalar.",
           ("0", "1", "4", "8", "16"), env="CL_CONFIG_CPU_VECTORIZER_MODE"),
    Option("SKIP_PASSES", "text", "", "Passes of the compiler to leave out, comma-separated, to find the one that "
           "breaks a kernel; `clpy bisect` tries those that can be left out."),
    Option("SPECIALIZE_MS", "int", 100, "After so many milliseconds that a kernel ran with one work-group size it is "
           "compiled for that size, in the background, and from a tenth of that on where it is worth it and processors "
           "have nothing to do; 0: never. Kernels on models of GPUs are optimized then, or "
           "from the start with 0.", (0, 1 << 30)),
    Option("LOCKSTEP", "choice", "0", "Run kernels of the CPU device in lock-step wavefronts of so many work-items, as "
           "a GPU does; 0 runs them as fast as the machine can.", ("0", "16", "32", "64")),
    Option("GPU_CHIPS", "text", "", "Chips of your own: folders of chip files, or such files, colon-separated."),
    Option("GPU_ORDINAL", "text", "", "Numbers of the GPUs to show, comma-separated, from 0 in the order of "
           "CLPY_DEVICES; empty: all.", env="GPU_DEVICE_ORDINAL"),
    Option("GPU_RINGS", "int", 0, "The most hardware queues that models of GPUs use; 0: all that the chip has.",
           (0, 1024), env="GPU_NUM_COMPUTE_RINGS"),
    Option("GPU_DETAIL", "choice", "sample", "How models of GPUs find the time of a launch: full follows all groups, "
           "sample some of them, off counts instructions and takes a formula. Results never depend on it.",
           ("full", "sample", "off")),
    Option("GPU_REUSE", "bool", True, "With CLPY_GPU_DETAIL=sample, launches of a queue in order that are like one "
           "before take the times of its sample, by their own counts; with full, launches whose wavefronts go the same "
           "way through the same lines as those of one before take its numbers, which theirs would be. 0: each launch "
           "is followed by itself."),
    Option("GPU_TRACE_MB", "int", 1024, "MiB that all wavefronts of a launch on a model may tell of their way; to "
           "follow it takes half as much again. Launches that tell more are timed by a formula.", (1, 1 << 16)),
    Option("GPU_CLOCK", "choice", "model", "Whose time a model's events tell: the model's, or the host's real time.",
           ("model", "host")),
    Option("GPU_PROFILE", "text", "", "A file that gets a line of JSON for each launch on a model: time and counters."),
)
# Variables of AMD's drivers and of Intel's CPU runtime that nothing here reads, and what a program has instead.
NOT_READ = (
    ("CPU_IMAGE_SUPPORT", "The CPU device has images without it."),
    ("GPU_MAX_ALLOC_PERCENT GPU_MAX_HEAP_SIZE", "Models have the memory that the chip's file says "
     "([gpu-chips.md](gpu-chips.md))."),
    ("GPU_USE_SYNC_OBJECTS", "How threads wait is not to be chosen ([runtime.md](runtime.md))."),
    ("CL_CONFIG_CPU_TARGET_ARCH", "`CLPY_CPU_ISA`."),
    ("CL_CONFIG_CPU_TBB_NUM_WORKERS", "`CLPY_NUM_THREADS`."),
    ("CL_CONFIG_CPU_FORCE_GLOBAL_MEM_SIZE CL_CONFIG_CPU_FORCE_MAX_MEM_ALLOC_SIZE", "`CLPY_MEMORY_MB`."),
    ("CL_CONFIG_CPU_FORCE_LOCAL_MEM_SIZE CL_CONFIG_CPU_FORCE_MAX_WORK_GROUP_SIZE CL_CONFIG_CPU_FORCE_WORK_GROUP_SIZE",
     "Local memory and work-groups have the sizes that `clGetDeviceInfo` says, and the program's; without a local size "
     "clpy chooses ([programs.md](programs.md))."),
    ("CL_CONFIG_USE_FAST_RELAXED_MATH", "`CLPY_BUILD_OPTIONS=-cl-fast-relaxed-math`."),
    ("CL_CONFIG_DUMP_ASM CL_CONFIG_DUMP_BIN CL_CONFIG_LOG_FILE CL_CONFIG_USER_LOGGER", "`CLPY_DEBUG`, 4 to 6."),
    ("CL_CONFIG_USE_VTUNE CL_CONFIG_USE_ITT_API", "`CLPY_TIMELINE`."),
)
# Read by the build script and the launcher, not at run time; no option, but no typing error either.
FOREIGN = ("CLPY_BUILD_ONLY", "CLPY_LLVM_PREFIX")

_values = {}
_environ = {} if secure_mode() else os.environ


def get(name):
    """The value of an option, by its name in the table."""
    return _values[name]


def variable(name, default=""):
    """A variable of the environment that is no option of ours."""
    return _environ.get(name, default)


class override:
    """`with override(DEBUG=3): ...` gives options other values for a while."""

    def __init__(self, **values):
        self.values = values

    def __enter__(self):
        unknown = set(self.values) - set(_values)
        if unknown:
            raise KeyError(*unknown)
        self.saved = {name: _values[name] for name in self.values}
        _values.update(self.values)

    def __exit__(self, *exc):
        _values.update(self.saved)


def _warn(text):
    try:
        os.write(2, f"clpy: {text}\n".encode())
    except OSError:
        pass


def _load(environ):
    """Fill the values; warn of what cannot be understood."""
    for option in TABLE:
        _values[option.name] = option.default
        text = environ.get(option.env)
        if text is None or (text == "" and option.kind != "text"):
            continue
        try:
            _values[option.name] = option.parse(text)
        except ValueError as wanted:
            _warn(f"{option.env}={text} is ignored: it takes {wanted}")
    known = {option.env for option in TABLE}
    for name in environ:
        if name.startswith("CLPY_") and name not in known and name not in FOREIGN:
            _warn_unknown(name, known)


def _warn_unknown(name, known):
    from difflib import get_close_matches
    near = get_close_matches(name, sorted(known), n=1, cutoff=0.0)
    _warn(f"{name} is not an option of clpy; the nearest is {near[0]}")


def page():
    """The text of docs/configuration.md."""
    lines = ["# Configuration", "",
             "Environment variables, read when the library is loaded. A value that cannot be understood and a "
             "`CLPY_` name", "that does not exist are reported on stderr, once. "
             "This page is printed by `python -m clpy.config`.", "",
             "A program that runs with more rights than who starts it (setuid, setgid, capabilities of its file) reads "
             "none of them,",
             "nor `PATH`, `HOME`, `XDG_CACHE_HOME` and what hwloc reads, and has no cache on disk.", "",
             "A name without `CLPY_` is one of AMD's or Intel's guides, and means what they say; variables of theirs "
             "that are not read stand", "[below](#not-read).", "",
             "| variable | values | default | meaning |", "|---|---|---|---|"]
    for option in TABLE:
        values = {"int": "{} to {}".format(*option.allowed) if option.kind == "int" else "",
                  "choice": ", ".join(option.allowed) if option.kind == "choice" else "",
                  "bool": "0, 1", "text": "text"}[option.kind]
        default = int(option.default) if option.kind == "bool" else option.default
        lines.append(f"| `{option.env}` | {values} | {default} | {option.doc} |")
    lines += ["", "## Not read", "",
              "Variables of AMD's drivers and of Intel's CPU runtime that change nothing here, without a word, for "
              "they may be set", "for the whole system. So do those of theirs that are not listed.", "",
              "| variable | what there is instead |", "|---|---|"]
    lines += [f"| {', '.join(f'`{name}`' for name in names.split())} | {instead} |" for names, instead in NOT_READ]
    return "\n".join(lines) + "\n"


_load(_environ)

if __name__ == "__main__":
    print(page(), end="")
