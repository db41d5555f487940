# SPDX-License-Identifier: Apache-2.0
"""What the passes know about functions that are not inlined: one row each.

Columns:
  name    as written in OpenCL C (Itanium mangling is undone by base_name), or the C name of a library function
  kind    ID     a work-item function, replaced by values of the frame
          CUT    ends a region: every work-item of the group comes here before one goes on
          FENCE  orders memory between work-items; no cut
          MATH   a pure function of libm with a vector form in libmvec
          PURE   a pure function without one
          PRINT  has a side effect, any number of work-items at a time
          OBSERVE tells an observer what a wavefront does (passes/observe.py)
          COLLECTIVE  done once for the group, on arrays that its work-items have filled (builtins/collective.cl)
          SPACE  a pure function of a pointer and of where the group's memory is (passes/generic_spaces.py)
          TOGETHER is of the sub-group: its work-items do it as one (spmd/widen_sub_groups.py)
  shape   of the result, from the shapes of the arguments:
          UNIFORM   the same for all work-items of the group, whatever the arguments are
          ID0       consecutive in dimension 0 when the argument is the constant 0, uniform when it is 1 or 2
          JOIN      uniform when all arguments are uniform, else varying
          VARYING   always varying
          WAVE      the same for work-items that run in lock-step, varying else
          LANE      counts such work-items, from 0
          PICK      as WAVE when the second argument is, else varying
  mask    in a vector of work-items of which some do not take part:
          ANY       may run for all lanes; results of the others are not used
          LANES     runs once for each lane that takes part
          GROUP     is reached by all lanes or none
          MASK      runs once for all lanes, and the mask is its last argument
"""
from functools import lru_cache

from clpy.records import record

ID, CUT, FENCE, MATH, PURE, PRINT, OBSERVE = "id", "cut", "fence", "math", "pure", "print", "observe"
SPACE, COLLECTIVE = "space", "collective"
TOGETHER = "together"
UNIFORM, ID0, JOIN, VARYING = "uniform", "id0", "join", "varying"
WAVE, LANE, PICK = "wave", "lane", "pick"
ANY, LANES, GROUP, MASK = "any", "lanes", "group", "mask"
IS_LOCAL, IS_PRIVATE = "__clpy_is_local", "__clpy_is_private"


@record(frozen=True)
class Builtin:
    name: str
    kind: str
    shape: str
    mask: str


# What kernels that enqueue others call (clpy/core/enqueue_kernel.pyx), and groups that meet
# (clpy/device/host/gang.pyx).
OF_THE_CORE = tuple(f"__clpy_{name}" for name in (
    "enqueue_kernel", "enqueue_marker", "default_queue", "kernel_work_group_size", "kernel_preferred_multiple",
    "kernel_sub_group_size", "kernel_sub_group_count", "kernel_most_sub_groups", "kernel_items_of_sub_groups",
    "retain_event", "release_event", "is_valid_event", "create_user_event", "null_event", "set_user_event_status",
    "capture_event_times", "meet", "spin"))
_ROWS = (
    # name, kind, shape, mask
    ("get_global_id", ID, ID0, ANY),
    ("get_local_id", ID, ID0, ANY),
    ("get_group_id", ID, UNIFORM, ANY),
    ("get_global_size", ID, UNIFORM, ANY),
    ("get_local_size", ID, UNIFORM, ANY),
    ("get_enqueued_local_size", ID, UNIFORM, ANY),
    ("get_num_groups", ID, UNIFORM, ANY),
    ("get_global_offset", ID, UNIFORM, ANY),
    ("get_work_dim", ID, UNIFORM, ANY),
    ("__clpy_launch_flags", ID, UNIFORM, ANY),
    ("get_global_linear_id", ID, VARYING, ANY),
    ("get_local_linear_id", ID, VARYING, ANY),
    ("barrier", CUT, UNIFORM, GROUP),
    ("work_group_barrier", CUT, UNIFORM, GROUP),
    ("__clpy_group_given", ID, UNIFORM, ANY),
    ("__clpy_group_gets", ID, UNIFORM, ANY),
    ("__clpy_group_cut", CUT, UNIFORM, GROUP),
    ("__clpy_group_broadcast", COLLECTIVE, UNIFORM, GROUP),
    ("mem_fence", FENCE, UNIFORM, ANY),
    ("read_mem_fence", FENCE, UNIFORM, ANY),
    ("write_mem_fence", FENCE, UNIFORM, ANY),
    ("atomic_work_item_fence", FENCE, UNIFORM, ANY),
    ("sub_group_barrier", FENCE, UNIFORM, ANY),
    ("get_num_sub_groups", ID, UNIFORM, ANY),
    ("get_enqueued_num_sub_groups", ID, UNIFORM, ANY),
    ("get_max_sub_group_size", TOGETHER, UNIFORM, ANY),
    ("get_sub_group_size", TOGETHER, WAVE, ANY),
    ("get_sub_group_id", TOGETHER, WAVE, ANY),
    ("get_sub_group_local_id", TOGETHER, LANE, ANY),
    ("__clpy_sub_groups_of", TOGETHER, UNIFORM, ANY),
    ("__clpy_sub_group_ballot", TOGETHER, WAVE, MASK),
    ("__clpy_sub_group_shuffle", TOGETHER, PICK, MASK),
    ("llvm.readcyclecounter", PRINT, VARYING, LANES),
    ("printf", PRINT, VARYING, LANES),
    ("__clpy_printf", PRINT, VARYING, LANES),
    *((name, PRINT, VARYING, LANES) for name in OF_THE_CORE),
    (IS_LOCAL, SPACE, JOIN, ANY),
    (IS_PRIVATE, SPACE, JOIN, ANY),
    ("clpy.observe.block", OBSERVE, VARYING, MASK),
    ("clpy.observe.branch", OBSERVE, VARYING, MASK),
    ("clpy.observe.memory", OBSERVE, VARYING, MASK),
    ("clpy.observe.barrier", OBSERVE, VARYING, MASK),
)

# Functions of glibc's libmvec: one argument, two arguments. Each exists for float (with an f) and double, for 4, 8 and
# 16 lanes of float.
LIBMVEC_1 = ("acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp", "exp10",
             "exp2", "expm1", "log", "log10", "log1p", "log2", "sin", "sinh", "tan", "tanh")
LIBMVEC_2 = ("atan2", "hypot", "pow")
# Other functions of libm that OpenCL C's library ends in; pure, scalar only.
LIBM_PURE = ("lgamma", "tgamma", "fmod", "remainder", "nextafter", "ldexp", "logb", "ilogb", "fdim", "fma", "ceil",
             "floor", "trunc", "rint", "round", "sqrt", "fabs", "copysign", "fmin", "fmax")
# What a work-group computes of all its values.
COLLECTIVES = [f"__clpy_group_{form}_{operation}" for form in ("reduce", "scan_inclusive", "scan_exclusive")
               for operation in ("add", "mul", "min", "max", "and", "or", "xor")]


def _with_float(names):
    return [n + suffix for n in names for suffix in ("", "f")]


# What a sub-group does with its values: all of them, those up to each work-item, those before it, those of a part.
SUB_GROUP = "__clpy_sub_group_"
SUB_GROUP_SHAPES = {"reduce": WAVE, "inclusive": VARYING, "exclusive": VARYING, "clustered": VARYING}
SUB_GROUP_OPERATIONS = ("add", "mul", "smin", "smax", "umin", "umax", "fmin", "fmax", "and", "or", "xor")

BUILTINS = {row[0]: Builtin(*row) for row in _ROWS}
BUILTINS |= {(n := f"{SUB_GROUP}{how}_{what}"): Builtin(n, TOGETHER, shape, MASK)
             for how, shape in SUB_GROUP_SHAPES.items() for what in SUB_GROUP_OPERATIONS}
BUILTINS |= {n: Builtin(n, MATH, JOIN, ANY) for n in _with_float(LIBMVEC_1 + LIBMVEC_2)}
BUILTINS |= {n: Builtin(n, PURE, JOIN, ANY) for n in _with_float(LIBM_PURE)}
BUILTINS |= {n: Builtin(n, COLLECTIVE, UNIFORM, GROUP) for n in COLLECTIVES}


# Function -> its parameters and result, where passes rely on them. A program can declare a function of that name with
# others, as a form of its own.
NO_PARAMETER = ("get_work_dim", "get_global_linear_id", "get_local_linear_id", "get_num_sub_groups",
                "get_enqueued_num_sub_groups", "get_max_sub_group_size", "get_sub_group_size", "get_sub_group_id",
                "get_sub_group_local_id", "__clpy_launch_flags")
OF_32_BITS = ("get_work_dim", *NO_PARAMETER[3:])


def is_as_declared(row, params, returns):
    """Whether a function with parameters and a result of these types (as text) is the one that a row means."""
    if row.kind == ID or row.name in NO_PARAMETER:
        given = [] if row.name in NO_PARAMETER else ["i32"]
        return params == given and returns == ("i32" if row.name in OF_32_BITS else "i64")
    if row.kind in (CUT, FENCE):
        return bool(params) and all(p == "i32" for p in params) and returns == "void"
    return True


@lru_cache(maxsize=4096)
def base_name(symbol):
    """The name in OpenCL C of a mangled function name; other names are returned as they are."""
    if not symbol.startswith("_Z"):
        return symbol
    digits = 2
    while digits < len(symbol) and symbol[digits].isdigit():
        digits += 1
    if digits == 2:
        return symbol
    return symbol[digits:digits + int(symbol[2:digits])]


def library_name(function):
    """The name in OpenCL C of a function of the library; "" for one of the program's own, which is internal if it has a
    name that is mangled."""
    name = base_name(function.name)
    return "" if name == function.name or function.is_internal else name


def index_name(symbol):
    """What the library's index calls a function: few programs use half numbers, so those that take some are apart."""
    name = base_name(symbol)
    return name + ".half" if name != symbol and "Dh" in symbol.partition(name)[2] else name


@lru_cache(maxsize=4096)
def row_of(symbol):
    """The row of a called function's symbol, or None."""
    return BUILTINS.get(base_name(symbol))
