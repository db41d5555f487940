# SPDX-License-Identifier: Apache-2.0
"""Kernels that call what Clang declares for OpenCL C, made from its own header: one a function, one a line."""
import os
import re
from pathlib import Path

PREFIX = Path(os.environ.get("CLPY_LLVM_PREFIX", "/usr/lib/llvm-22"))
PROTOTYPE = re.compile(r"^([\w ]+?\**)\s*__ovld\s+((?:__cnfn|__purefn|__conv|__kernel_exec\([^)]*\))\s+)*(\w+)\s*"
                       r"\(([^;]*)\);", re.MULTILINE)
OPAQUE = re.compile(r"\b(image\w+_t|sampler_t|queue_t|clk_event_t|reserve_id_t|event_t|intel_sub_group_\w+_t)\b")
SPACES = {"global": "a", "local": "l", "constant": "c", "private": "p"}
KIND = re.compile(rf"\b(?:__)?(?:global|local|constant|private|generic)\b|\*|{OPAQUE.pattern}")
HEAD = "global uchar *a, local uchar *l, constant uchar *c, uint n"


def header():
    """The text of opencl-c.h, without comments."""
    path, = PREFIX.glob("lib/clang/*/include/opencl-c.h")
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", path.read_text(), flags=re.DOTALL)


def prototypes():
    """(result, name, parameters) of the header, of each name the first for each number of parameters, their address
    spaces and opaque types: the others differ in numbers only. So do names such as convert_int4."""
    seen = {}
    for match in PROTOTYPE.finditer(header()):
        result, name, inside = match[1], match[3], " ".join(match[4].split())
        parameters = [] if inside in ("", "void") else re.split(r",(?![^\[]*\])", inside)
        kinds = tuple(tuple(KIND.findall(p)) for p in parameters)
        stem = re.sub(r"(?<=[a-z])\d+", "", name) if name.startswith("convert_") else name
        seen.setdefault((stem, kinds), (result.replace("static", "").strip(), name, parameters))
    return list(seen.values())


def plain(type_):
    """A parameter's type without its name and qualifiers."""
    type_ = re.sub(r"\[[^]]*\]", "", type_)
    words = [w.lstrip("_") if w.lstrip("_") in (*SPACES, "generic") else w for w in type_.replace("*", " * ").split()]
    words = [w for w in words if w not in ("const", "volatile", "restrict", "__restrict")]
    if len(words) > 1 and re.fullmatch(r"\w+", words[-1]) and words[-1] not in SPACES and words[-2] not in (
            *SPACES, "unsigned", "generic", "read_only", "write_only", "read_write", "__read_only", "__write_only",
            "__read_write"):
        words.pop()
    return words


def argument(type_, number):
    """(expression, kernel parameter or '', variable or '') for a parameter of a type."""
    words = plain(type_)
    base = words[-1] if words else "int"
    if "*" in words:
        space = next((w for w in words if w in SPACES), "")
        pointee = " ".join(w for w in words if w not in (*SPACES, "generic", "*"))
        if OPAQUE.search(pointee):
            return f"&v{number}", "", f"{pointee} v{number}; "
        stars = " *" * (words.count("*"))
        return f"({space} {pointee}{stars}){SPACES.get(space, 'a')}", "", ""
    if OPAQUE.search(base):
        if base.startswith(("image", "sampler", "queue")):
            return f"q{number}", f", {' '.join(words)} q{number}", ""
        return f"v{number}", "", f"{base} v{number}; "
    if "[" in type_:
        return f"(const {' '.join(words)} *)a", "", ""
    return f"*(global {' '.join(words)} *)(a + n)", "", ""


def kernel(number, prototype):
    """One line."""
    result, name, parameters = prototype
    parts = [argument(p, k) for k, p in enumerate(parameters)]
    call = f"{name}({', '.join(p[0] for p in parts)})"
    result = " ".join(w for w in result.split() if not w.startswith("__attribute"))
    if "*" in result or OPAQUE.search(result) or "ndrange_t" in result:
        call = f"{result} result = {call}"
    elif result != "void":
        call = f"*(global {result} *)a = {call}"
    return (f"kernel void k{number}({HEAD}{''.join(p[1] for p in parts)}) {{ uchar p[256]; p[n] = 0; "
            f"{''.join(p[2] for p in parts)}{call}; }}")


# What the header does not have: functions that Clang itself knows, which take pipes, queues and blocks.
PIPE_TYPES = "bool is_valid_reserve_id(reserve_id_t); "
QUEUE_TYPES = ("typedef struct { uint d; size_t x[3], y[3], z[3]; } ndrange_t; queue_t get_default_queue(void); "
               "clk_event_t create_user_event(void); bool is_valid_event(clk_event_t); ")
PIPE = ["read_pipe(r, (int *)a)", "write_pipe(w, (int *)a)", "get_pipe_num_packets(r)", "get_pipe_max_packets(w)",
        *(f"commit_{way}_pipe({way[0]}, {scope}reserve_{way}_pipe({way[0]}, n))"
          for way in ("read", "write") for scope in ("", "work_group_", "sub_group_")),
        *(f"{scope}commit_{way}_pipe({way[0]}, reserve_{way}_pipe({way[0]}, n))"
          for way in ("read", "write") for scope in ("work_group_", "sub_group_")),
        "read_pipe(r, reserve_read_pipe(r, 2), 0, (int *)a)", "write_pipe(w, reserve_write_pipe(w, 2), 0, (int *)a)",
        "reserve_id_t i[4]; i[n] = i[a[0]]"]
# What is no reservation: Clang has no code for it.
PIPE_REFUSED = ["reserve_id_t i = CLK_NULL_RESERVE_ID; a[0] = is_valid_reserve_id(i)"]
BLOCK = "^{ a[0] = 1; }"
QUEUE = [f"enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, d, {BLOCK})",
         f"enqueue_kernel(q, 0, d, 0, NULL, &e, {BLOCK})", f"enqueue_kernel(q, 0, d, 2, f, &f[n], {BLOCK})",
         "enqueue_kernel(q, 0, d, ^(local void *x) { *(local int *)x = 1; }, n)",
         f"a[0] = get_kernel_work_group_size({BLOCK})", "void (^b)(void) = ^{ a[0] = 1; }; b()",
         f"a[0] = get_kernel_preferred_work_group_size_multiple({BLOCK})",
         f"a[0] = get_kernel_sub_group_count_for_ndrange(d, {BLOCK})",
         f"a[0] = get_kernel_max_sub_group_size_for_ndrange(d, {BLOCK})",
         "f[n] = f[a[0]]", "e = CLK_NULL_EVENT; a[0] = is_valid_event(e)", "a[0] = q == 0", "a[0] = e == *f",
         "queue_t s = n ? q : get_default_queue()", "e = create_user_event()"]
# Forms that are no calls, and functions under names that belong to others.
OTHERS = [
    *(f"kernel void k(global int *a) {{ {body} }}" for body in (
        "event_t e[3] = {0}; wait_group_events(3, e);", "event_t e = __builtin_astype(3ul, event_t);",
        "event_t e[2]; wait_group_events(1, e + a[0]);", "a[0] = __builtin_astype((event_t)0, ulong);",
        "__asm__(\"no such instruction\");", "*to_global((int *)a) = 1;", "*to_local((int *)a) = 1;",
        "*to_private((int *)a) = 1;", "a[0] = get_fence((int *)a);", "__bf16 x = (__bf16)1.0f; a[0] = (float)(x * x);",
        "a[0] = (int)(ulong)__builtin_frame_address(0);", "a[0] = *(__attribute__((address_space(9))) int *)a[1];")),
    *(f"{result} f({types}) __asm(\"{name}\"); kernel void k(global int *a) {{ f({given}); }}"
      for result, types, name, given in (
          ("int", "float", "_Z13get_global_idj", "1"), ("int", "global int *", "_Z13get_global_idj", "a"),
          ("int", "void", "_Z7barrierj", ""), ("int", "int", "_Z3sinDv4_f", "1"), ("int", "int", "clpy.mload.i32", "1"),
          ("int", "int", "__clpy_view", "1"), ("int", "int", "llvm.sqrt.f32", "1"), ("int", "int", "llvm.no", "1"))),
    "kernel void k(global int *a) { a[0] = 1; } void j(global int *a) __attribute__((alias(\"k\")));",
    "kernel void k(global int *a, read_only image2d_t i) { a[0] = __builtin_astype(i, long); }",
    "int __attribute__((overloadable)) get_work_dim(float); kernel void k(global int *a) { a[0] = get_work_dim(1.f); }",
]


def pipes(bodies):
    """A program each."""
    return [f"{PIPE_TYPES}kernel void k({HEAD}, read_only pipe int r, write_only pipe int w) {{ {body}; }}"
            for body in bodies]


def queues():
    return [f"{QUEUE_TYPES}kernel void k({HEAD}, queue_t q, global clk_event_t *f) "
            f"{{ ndrange_t d; clk_event_t e; {b}; }}" for b in QUEUE]
