# SPDX-License-Identifier: Apache-2.0
"""Vector loads and stores, shuffles, copies of a work-group, atomic functions."""
import numpy as np
import pytest

from .builtins import INTEGERS, TYPES, WIDTHS

# Such kernels are about one work-item: there is nothing to vectorize, which would take most of the time.
ONE_ITEM = "-DONE_ITEM=__attribute__((reqd_work_group_size(1,1,1)))"
BITS = {8: "uchar", 16: "ushort", 32: "uint", 64: "ulong"}


@pytest.mark.parametrize("name", TYPES)
def test_vload_vstore(machine, name):
    """From an address that only an element is aligned to, through every address space; nothing else is written."""
    dtype = TYPES[name]
    body = ""
    for k, n in enumerate(WIDTHS):
        at = 1 + 64 * k
        body += f"""
            vstore{n}(vload{n}(1, a + 1), 1, r + {at});
            for (int j = 0; j < 20; j++) p[j] = l[j] = a[j + 2];
            vstore{n}(vload{n}(0, p + 1), 0, l + 1); vstore{n}(vload{n}(0, l + 1), 0, p + 2);
            vstore{n}(vload{n}(0, p + 2), 0, r + {at + 33});
            vstore{n}(vload{n}(0, c + 1), 0, g + 1); vstore{n}(vload{n}(0, g + 1), 1, r + {at + 320});"""
    source = f"""kernel ONE_ITEM void k(global {name} *r, global const {name} *a, constant {name} *c) {{
        local {name} l[40]; private {name} p[40]; GENERIC {name} *g = l; {body} }}"""
    a = (np.arange(40) * 3 + 1).astype(dtype)
    kinds = [("local", ONE_ITEM), *([("", f"{ONE_ITEM} -cl-std=CL3.0")] if machine.has_generic_pointers else ())]
    for generic, options in kinds:
        r = np.zeros(640, dtype)
        program = machine.build(source.replace("GENERIC", generic), options)
        machine.launch(program.k, (1,), (1,), [r, a, a])
        right = np.zeros(640, dtype)
        for k, n in enumerate(WIDTHS):
            at = 1 + 64 * k
            right[at + n:at + 2 * n] = a[1 + n:1 + 2 * n]
            right[at + 33:at + 33 + n] = a[3:3 + n]
            right[at + 320 + n:at + 320 + 2 * n] = a[1:1 + n]
        np.testing.assert_array_equal(r, right)


@pytest.mark.parametrize("options", ["", "-cl-std=CL3.0"])
def test_variables_as_places(machine, options):
    """The first element's address, as the variable's name or another type's pointer, is what a function is given."""
    source = """
        constant float table[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
        kernel ONE_ITEM void k(global float *r, global const float *a) {
            local float l[16]; local uint words[16]; local ushort halves[16];
            local struct { float first; float others[15]; } whole;
            size_t i = get_local_id(0);
            vstore4(vload4(i, a), i, l); vstore4(vload4(i, l), i, r);
            vstore3(vload3(1, a), i, (local float *)words); r[4] = as_float(words[0]);
            vstore_half(a[5], i, (local half *)halves); r[5] = vload_half(i, (local half *)halves);
            vstore_half2_rtz(vload2(3, a), 1, (local half *)halves);
            vstore2(vload_half2(1, (local half *)halves), 3, r);
            vstore4(vload4(0, a), 0, &whole.first);
            barrier(CLK_LOCAL_MEM_FENCE);
            vstore2(vload2(0, whole.others), 4, r);
        }
        kernel ONE_ITEM void t(global float *r) { vstore2(vload2(4, table), 5, r); }"""
    a = np.arange(1, 17).astype(np.float32)
    r = np.zeros(12, np.float32)
    program = machine.build(source, f"{ONE_ITEM} {options}")
    machine.launch(program.k, (1,), (1,), [r, a])
    machine.launch(program.t, (1,), (1,), [r])
    assert r.tolist() == [1, 2, 3, 4, 4, 6, 7, 8, 2, 3, 8, 9]


@pytest.mark.parametrize(("kind", "dtype"), [("uint", np.uint32), ("ushort", np.uint16), ("uchar", np.uint8)])
@pytest.mark.parametrize("lanes", [4, 8])
def test_vectors_made_narrow(machine, lanes, kind, dtype):
    """Read as they lie in memory and written far apart: LLVM put an upper half in place of the neighbour."""
    source = f"""__attribute__((reqd_work_group_size({lanes}, 2, 3)))
        kernel void k(global {kind} *restrict r, global const ulong *restrict a) {{
        size_t t = (get_local_id(2) * 2 + get_local_id(1)) * {lanes} + get_local_id(0);
        size_t i = (get_global_id(2) * 2 + get_global_id(1)) * {lanes} + get_global_id(0);
        vstore4(convert_{kind}4(vload4(t, a)), 0, r + i * 16 + 12); }}"""
    a = np.random.default_rng(1).integers(0, 1 << 63, 4 * 6 * lanes, dtype=np.uint64)
    r = np.zeros(16 * 6 * lanes, dtype)
    machine.launch(machine.build(source, "-cl-std=CL2.0").k, (lanes, 2, 3), (lanes, 2, 3), [r, a])
    right = r * 0
    right.reshape(-1, 16)[:, 12:] = a.astype(dtype).reshape(-1, 4)
    np.testing.assert_array_equal(r, right)


@pytest.mark.parametrize("name", TYPES)
def test_shuffle(machine, name):
    """By masks that are not known when the kernel is compiled; only the low bits of a mask element count."""
    dtype = np.dtype(TYPES[name])
    mask_type = BITS[8 * dtype.itemsize]
    sizes = (2, 4, 8, 16)
    stores = "".join(
        f"vstore{n}(shuffle(x{m}, vload{n}(0, mask)), 0, r + {(i * 4 + j) * 32});"
        f"vstore{n}(shuffle2(x{m}, y{m}, vload{n}(0, mask)), 0, r + {(i * 4 + j) * 32 + 16});\n"
        for i, m in enumerate(sizes) for j, n in enumerate(sizes))
    loads = "".join(f"{name}{m} x{m} = vload{m}(0, a), y{m} = vload{m}(0, a + 16);" for m in sizes)
    source = (f"kernel void k(global {name} *r, global const {name} *a, global const {mask_type} *mask)"
              f"{{ {loads} {stores} }}")
    a = np.arange(1, 33).astype(dtype)
    mask = np.random.default_rng(1).integers(0, 256, 16).astype(INTEGERS[mask_type])
    r = np.zeros((4, 4, 2, 16), dtype)
    machine.launch(machine.build(source).k, (1,), (1,), [r, a, mask])
    for i, m in enumerate(sizes):
        both = np.concatenate([a[:m], a[16:16 + m]])
        for j, n in enumerate(sizes):
            np.testing.assert_array_equal(r[i, j, 0, :n], a[:m][mask[:n] % m])
            np.testing.assert_array_equal(r[i, j, 1, :n], both[mask[:n] % (2 * m)])


@pytest.mark.parametrize("name", ["char", "ushort", "int", "double", "float3", "uchar2", "long16"])
@pytest.mark.parametrize(("global_size", "local_size"), [((16,), (16,)), ((6, 4), (3, 2)), ((7,), (4,))])
def test_work_group_copies(machine, name, global_size, local_size):
    """In, changed by everyone, and out again, by one copy and by a strided one; in whole and partial groups."""
    count, stride = 20, 3
    source = f"""
        kernel void k(global {name} *r, global const {name} *a, global {name} *s) {{
            local {name} l[{count}], m[{count}];
            size_t group = get_group_id(0) + get_num_groups(0) * get_group_id(1);
            size_t me = get_local_id(0) + get_local_size(0) * get_local_id(1);
            size_t all = get_local_size(0) * get_local_size(1);
            event_t e = async_work_group_copy(l, a + group, {count}, 0);
            e = async_work_group_strided_copy(m, a + group, {count}, {stride}, e);
            wait_group_events(1, &e);
            for (size_t i = me; i < {count}; i += all) {{ l[i] += ({name})1; m[i] += ({name})2; }}
            barrier(CLK_LOCAL_MEM_FENCE);
            event_t out[2];
            out[0] = async_work_group_copy(r + {count} * group, l, {count}, 0);
            out[1] = async_work_group_strided_copy(s + {count * stride} * group, m, {count}, {stride}, 0);
            wait_group_events(2, out);
        }}"""
    scalar = name.rstrip("0123456789")
    lanes = {"": 1, "3": 4}.get(name[len(scalar):]) or int(name[len(scalar):])
    dtype = TYPES[scalar]
    groups = int(np.prod([-(-g // s) for g, s in zip(global_size, local_size, strict=True)]))
    a = np.random.default_rng(2).integers(0, 100, (groups + count * stride, lanes)).astype(dtype)
    r, s = np.zeros((groups, count, lanes), dtype), np.zeros((groups, count * stride, lanes), dtype)
    options = "-cl-std=CL3.0" if global_size == (7,) else ""      # groups of different sizes are younger than 1.2
    machine.launch(machine.build(source, options).k, global_size, local_size, [r, a, s])
    shown = 3 if name.endswith("3") else lanes
    for g in range(groups):
        np.testing.assert_array_equal(r[g, :, :shown], a[g:g + count, :shown] + dtype(1))
        np.testing.assert_array_equal(s[g, ::stride, :shown], (a[g:g + count * stride:stride] + dtype(2))[:, :shown])
        assert not s[g, 1::stride].any() and not s[g, 2::stride].any()


OLD = {"add": (5, lambda old: old + 5), "sub": (5, lambda old: old - 5), "inc": (None, lambda old: old + 1),
       "dec": (None, lambda old: old - 1), "min": (3, lambda old: min(old, 3)), "max": (300, lambda old: max(old, 300)),
       "and": (0b1010, lambda old: old & 0b1010), "or": (0b1010, lambda old: old | 0b1010),
       "xor": (0b1010, lambda old: old ^ 0b1010), "xchg": (77, lambda old: 77)}


@pytest.mark.parametrize("name", ["int", "uint", "long", "ulong"])
@pytest.mark.parametrize("space", ["global", "local"])
def test_old_atomics(machine, name, space):
    """Each returns the old value and leaves the new one; the compare-and-exchange that fails leaves the old one."""
    prefix = "atom" if name in ("long", "ulong") else "atomic"
    start = -7 if name in ("int", "long") else 123
    memory = f"volatile local {name} *p = l;" if space == "local" else f"volatile global {name} *p = m;"
    steps = "".join(f"p[0] = a[0]; r[{2 * k}] = {prefix}_{f}(p{'' if v is None else f', ({name}){v}'});"
                    f"r[{2 * k + 1}] = p[0];" for k, (f, (v, _)) in enumerate(OLD.items()))
    source = f"""
        #pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
        #pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
        kernel void k(global {name} *r, global const {name} *a, global {name} *m) {{
            local {name} l[1]; {memory} {steps}
            p[0] = a[0]; r[30] = {prefix}_cmpxchg(p, a[0], ({name})9); r[31] = p[0];
            r[32] = {prefix}_cmpxchg(p, a[0], ({name})8); r[33] = p[0]; }}"""
    dtype = INTEGERS[name]
    r = np.zeros(34, dtype)
    machine.launch(machine.build(source).k, (1,), (1,), [r, np.array([start], dtype), np.zeros(1, dtype)])
    for k, (f, (_, after)) in enumerate(OLD.items()):
        assert (int(r[2 * k]), int(r[2 * k + 1])) == (start, after(start)), f
    assert r[30:].tolist() == [start, 9, 9, 9]


def test_exchange_of_floats(machine):
    source = """kernel void k(global float *r) {
        local float l; l = 1.5f; r[1] = atomic_xchg(&l, -2.5f); r[2] = l; r[3] = atomic_xchg(r, 7.0f); }"""
    r = np.array([0.25, 0, 0, 0], np.float32)
    machine.launch(machine.build(source).k, (1,), (1,), [r])
    assert r.tolist() == [7, 1.5, -2.5, 0.25]


@pytest.mark.parametrize("name", ["int", "uint", "long", "ulong", "float", "double"])
def test_c11_atomics(machine, name):
    """All forms: with default order, with an order, with order and scope, also when those are not constants."""
    dtype = TYPES[name]
    whole = name not in ("float", "double")
    fetches = {"exchange": lambda o: 9, **({
        "fetch_add": lambda o: o + 9, "fetch_sub": lambda o: o - 9, "fetch_min": lambda o: min(o, 9),
        "fetch_max": lambda o: max(o, 9), "fetch_and": lambda o: o & 9, "fetch_or": lambda o: o | 9,
        "fetch_xor": lambda o: o ^ 9} if whole else {})}
    forms = ("({p}, {v})", "_explicit({p}, {v}, memory_order_relaxed)",
             "_explicit({p}, {v}, memory_order_acq_rel, memory_scope_work_group)",
             "_explicit({p}, {v}, order, memory_scope_device)")
    values = [(f, form) for f in fetches for form in forms]
    steps = "".join(f"atomic_init(p, ({name})100); r[i++] = atomic_{f}{form.format(p='p', v=f'({name})9')};"
                    "r[i++] = atomic_load(p);" for f, form in values)
    source = f"""
        #pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
        #pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
        kernel void k(global {name} *r, global atomic_{name} *p, int which) {{
            int i = 0; memory_order order = which ? memory_order_seq_cst : memory_order_relaxed; {steps}
            {name} expected = 1;
            atomic_store(p, ({name})2);
            r[i++] = atomic_compare_exchange_strong(p, &expected, ({name})3); r[i++] = expected;
            r[i++] = atomic_load(p);
            r[i++] = atomic_compare_exchange_strong_explicit(p, &expected, ({name})4, memory_order_acq_rel,
                                                             memory_order_relaxed, memory_scope_device);
            r[i++] = atomic_load_explicit(p, memory_order_acquire);
            atomic_store_explicit(p, ({name})6, memory_order_release, memory_scope_work_group);
            r[i++] = atomic_load_explicit(p, order, memory_scope_device);
            while (!atomic_compare_exchange_weak(p, &expected, ({name})7)) ;
            r[i++] = atomic_load(p);
        }}"""
    for which in (0, 1):
        r = np.zeros(len(values) * 2 + 7, dtype)
        machine.launch(machine.build(source, "-cl-std=CL3.0").k, (1,), (1,), [r, np.zeros(1, dtype), np.int32(which)])
        right = [x for f, _ in values for x in (100, fetches[f](100))]
        assert r.tolist() == [*right, 0, 2, 2, 1, 4, 6, 7]


def test_atomic_flag(machine):
    source = """kernel void k(global int *r, global atomic_flag *f) {
        atomic_flag_clear(f);
        r[0] = atomic_flag_test_and_set(f); r[1] = atomic_flag_test_and_set_explicit(f, memory_order_acquire);
        atomic_flag_clear_explicit(f, memory_order_release, memory_scope_device);
        r[2] = atomic_flag_test_and_set_explicit(f, memory_order_acq_rel, memory_scope_work_group); }"""
    r = np.full(3, 9, np.int32)
    machine.launch(machine.build(source, "-cl-std=CL3.0").k, (1,), (1,), [r, np.zeros(1, np.int32)])
    assert r.tolist() == [0, 1, 0]


@pytest.mark.parametrize("local_size", [1, 64])
def test_everyone_adds(machine, local_size):
    """All work-items on one counter in __global and one in __local memory; fences of every kind are there as well."""
    source = """
        #pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
        kernel void k(global int *total, global ulong *wide, global int *groups) {
            local int l;
            if (get_local_id(0) == 0) l = 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            atomic_add(total, 3); atom_add(wide, 1ul << 33); atomic_inc(&l);
            mem_fence(CLK_GLOBAL_MEM_FENCE); read_mem_fence(CLK_LOCAL_MEM_FENCE); write_mem_fence(CLK_LOCAL_MEM_FENCE);
            barrier(CLK_LOCAL_MEM_FENCE);
            if (get_local_id(0) == 0) groups[get_group_id(0)] = l;
        }"""
    n = 64 * 200
    total, wide = np.zeros(1, np.int32), np.zeros(1, np.uint64)
    groups = np.zeros(n // local_size, np.int32)
    machine.launch(machine.build(source).k, (n,), (local_size,), [total, wide, groups])
    assert (int(total[0]), int(wide[0])) == (3 * n, n << 33)
    assert (groups == local_size).all()
