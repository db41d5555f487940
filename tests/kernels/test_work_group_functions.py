# SPDX-License-Identifier: Apache-2.0
"""Work-group functions against NumPy: every operation and type, groups of many shapes, in loops and branches that the
whole group takes."""
import numpy as np
import pyopencl as cl
import pytest
import spirv_source

TYPES = {"int": np.int32, "uint": np.uint32, "long": np.int64, "ulong": np.uint64, "float": np.float32,
         "double": np.float64}
INTEGERS = ("int", "uint", "long", "ulong")
OPERATIONS = {"add": np.add, "min": np.minimum, "max": np.maximum}
MORE = {"mul": np.multiply, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
LOGICAL = {"logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor}
# (global size, local size)
GROUPS = [((4 * 256,), (256,)), ((3 * 64,), (64,)), ((5,), (1,)), ((7 * 5,), (7,)), ((2 * 33,), (33,)),
          ((100,), (64,)), ((8, 12), (4, 3)), ((10, 11), (4, 8)), ((6, 4, 6), (3, 2, 3)), ((7, 5, 3), (4, 2, 2))]
OPTIONS = "-cl-std=CL3.0"


@pytest.fixture
def has_collectives(machine):
    if "__opencl_c_work_group_collective_functions" not in machine.features:
        pytest.skip(f"{machine.device.name} has no work-group functions")


def groups_of(global_size, local_size):
    """For each group the global linear ids of its work-items, in the order of their local linear ids."""
    ids = np.arange(np.prod(global_size)).reshape(global_size[::-1])
    steps = [range(0, n, s) for n, s in zip(global_size[::-1], local_size[::-1], strict=True)]
    for corner in np.stack(np.meshgrid(*steps, indexing="ij"), -1).reshape(-1, len(global_size)):
        yield ids[tuple(slice(c, c + s) for c, s in zip(corner, local_size[::-1], strict=True))].ravel()


def identity(name, dtype):
    if name in ("min", "max"):
        info = np.iinfo(dtype) if np.issubdtype(dtype, np.integer) else None
        return (info.max if name == "min" else info.min) if info else (np.inf if name == "min" else -np.inf)
    return {"add": 0, "mul": 1, "and": -1, "or": 0, "xor": 0, "logical_and": 1, "logical_or": 0, "logical_xor": 0}[name]


def expected(name, values, groups):
    """Columns: reduction, inclusive scan, exclusive scan."""
    function = {**OPERATIONS, **MORE, **LOGICAL}[name]
    out = np.zeros((len(values), 3), values.dtype)
    for group in groups:
        with np.errstate(over="ignore"):
            scan = function.accumulate(values[group] != 0 if name in LOGICAL else values[group])
        first = np.array([identity(name, values.dtype)]).astype(values.dtype)
        out[group, 0], out[group, 1] = scan[-1], scan
        out[group, 2] = np.concatenate([first, scan[:-1].astype(values.dtype)])
    return out


def source_of(name, type_):
    return f"""kernel void k(global {type_} *out, global const {type_} *in) {{
        size_t i = get_global_linear_id();
        out[3 * i] = work_group_reduce_{name}(in[i]);
        out[3 * i + 1] = work_group_scan_inclusive_{name}(in[i]);
        out[3 * i + 2] = work_group_scan_exclusive_{name}(in[i]);
    }}"""


def values_of(type_, count, operation="add"):
    rng = np.random.default_rng(count)
    dtype = TYPES[type_]
    if type_ in INTEGERS and operation in LOGICAL:
        return rng.choice(np.array([0, 1, 5, 256], dtype), count)
    if type_ in INTEGERS:
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, count, dtype, endpoint=True)
    if operation == "mul":
        return 2.0 ** rng.integers(-1, 2, count).astype(dtype)
    return rng.integers(-2000, 2000, count).astype(dtype)     # sums are exact


def check(machine, name, type_, shape, options=OPTIONS):
    values = values_of(type_, int(np.prod(shape[0])), name)
    out = np.zeros((len(values), 3), values.dtype)
    machine.launch(machine.build(source_of(name, type_), options).k, *shape, [out, values])
    np.testing.assert_array_equal(out, expected(name, values, list(groups_of(*shape))), err_msg=f"{shape}")


@pytest.mark.usefixtures("has_collectives")
@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("name", OPERATIONS)
def test_reductions_and_scans(machine, name, type_):
    for shape in GROUPS:
        check(machine, name, type_, shape)


@pytest.mark.parametrize(("name", "type_"), [(n, t) for n in MORE for t in TYPES if n == "mul" or t in INTEGERS]
                         + [(n, "int") for n in LOGICAL])
def test_uniform_arithmetic(machine, name, type_):
    machine.needs("cl_khr_work_group_uniform_arithmetic")
    for shape in GROUPS:
        check(machine, name, type_, shape)


@pytest.mark.usefixtures("has_collectives")
@pytest.mark.parametrize("name", ["add", "max"])
def test_unoptimized(machine, name):
    for shape in GROUPS:
        check(machine, name, "float", shape, OPTIONS + " -cl-opt-disable")


@pytest.mark.usefixtures("has_collectives")
def test_votes(machine):
    source = """kernel void k(global int *out, global const int *in, int limit) {
        size_t i = get_global_linear_id();
        out[2 * i] = work_group_all(in[i] < limit);
        out[2 * i + 1] = work_group_any(in[i] >= limit ? 256 : 0);
    }"""
    for shape in GROUPS:
        n = int(np.prod(shape[0]))
        values = np.random.default_rng(n).integers(0, 50, n).astype(np.int32)
        for limit in (0, 1, 49, 50):
            out = np.zeros((n, 2), np.int32)
            machine.launch(machine.build(source, OPTIONS).k, *shape, [out, values, np.int32(limit)])
            for group in groups_of(*shape):
                below = values[group] < limit
                assert (out[group, 0] != 0).all() == (out[group, 0] != 0).any() == below.all()
                assert (out[group, 1] != 0).all() == (out[group, 1] != 0).any() == (~below).any()


BROADCAST = {1: "work_group_broadcast({}, at[0])", 2: "work_group_broadcast({}, at[0], at[1])",
             3: "work_group_broadcast({}, at[0], at[1], at[2])"}


@pytest.mark.usefixtures("has_collectives")
@pytest.mark.parametrize("type_", TYPES)
def test_broadcast(machine, type_):
    """From the first, the last and a work-item between them; the id is a constant, an argument or read from memory."""
    for shape in (((128,), (64,)), ((35,), (7,)), ((8, 12), (4, 3)), ((6, 4, 6), (3, 2, 3))):
        n, dims, local = int(np.prod(shape[0])), len(shape[0]), shape[1]
        source = f"""kernel void k(global {type_} *out, global const {type_} *in, global const ulong *at) {{
            size_t i = get_global_linear_id();
            out[i] = {BROADCAST[dims].format("in[i] + 1")} - ({type_})2;
        }}"""
        values = values_of(type_, n)
        for at in ([0] * dims, [s - 1 for s in local], [s // 2 for s in local]):
            out = np.zeros_like(values)
            machine.launch(machine.build(source, OPTIONS).k, *shape, [out, values, np.array([*at, 9], np.uint64)])
            linear = sum(a * int(np.prod(local[:d])) for d, a in enumerate(at))
            wanted = np.zeros_like(values)
            for group in groups_of(*shape):
                wanted[group] = values[group][linear] - values.dtype.type(1)
            np.testing.assert_array_equal(out, wanted)


@pytest.mark.usefixtures("has_collectives")
@pytest.mark.parametrize("rounds", [0, 1, 5])
def test_in_loops_and_branches(machine, rounds):
    source = """
        int step(int x, int round) {
            if (round % 2)
                return work_group_scan_inclusive_add(x) + work_group_reduce_max(x);
            return work_group_broadcast(x, round % get_local_size(0)) + x;
        }
        kernel void k(global int *out, global const int *in, int rounds, local int *tmp) {
            int i = get_global_id(0), l = get_local_id(0), x = in[i], private_array[4] = {1, 2, 3, 4};
            for (int round = 0; round < rounds; round++) {
                private_array[round & 3] += x;
                x = step(x, round);
                if (work_group_any(x > 100000))
                    break;
                tmp[l] = x;
                barrier(CLK_LOCAL_MEM_FENCE);
                x += tmp[get_local_size(0) - 1 - l] + private_array[l & 3];
                barrier(CLK_LOCAL_MEM_FENCE);
                while (work_group_reduce_add(x & 1) > 3)
                    x /= 2;
            }
            out[i] = x;
        }"""
    for size, count in ((64, 3), (13, 4), (1, 3)):
        values = np.random.default_rng(size).integers(-100, 100, size * count).astype(np.int32)
        out = np.zeros_like(values)
        machine.launch(machine.build(source, OPTIONS).k, (size * count,), (size,),
                       [out, values, np.int32(rounds), cl.LocalMemory(4 * size)])
        wanted = np.concatenate([loops_and_branches(x, rounds) for x in values.reshape(count, size)])
        np.testing.assert_array_equal(out, wanted)


def loops_and_branches(x, rounds):
    size, lane = len(x), np.arange(len(x))
    x, array = x.copy(), np.tile(np.arange(1, 5, dtype=np.int32), (len(x), 1))
    for r in range(rounds):
        array[:, r & 3] += x
        x = np.cumsum(x, dtype=np.int32) + x.max() if r % 2 else x[r % size] + x
        if (x > 100000).any():
            break
        x = x + x[::-1] + array[lane, lane & 3]
        while (x & 1).sum() > 3:
            x = np.trunc(x / 2).astype(np.int32)
    return x


@pytest.mark.usefixtures("has_collectives")
def test_several_in_an_expression(machine):
    """A collective of a collective, and values that live across all of them."""
    source = """kernel void k(global float *out, global const float *in) {
        int i = get_global_id(0);
        float a = in[i], b = a * 2;
        out[i] = work_group_reduce_add(work_group_scan_inclusive_add(a)) + b
               + work_group_reduce_min(b) * work_group_scan_exclusive_max(a + work_group_reduce_max(a));
    }"""
    values = np.random.default_rng(4).integers(-50, 50, 5 * 48).astype(np.float32)
    out = np.zeros_like(values)
    machine.launch(machine.build(source, OPTIONS).k, (len(values),), (48,), [out, values])
    for a, got in zip(values.reshape(-1, 48), out.reshape(-1, 48), strict=True):
        top = np.maximum.accumulate(a + a.max())
        scan = np.concatenate([[-np.inf], top[:-1]]).astype(np.float32)
        with np.errstate(invalid="ignore"):
            np.testing.assert_array_equal(got, np.cumsum(a).sum() + 2 * a + (2 * a).min() * scan)


@pytest.mark.usefixtures("has_collectives")
def test_behind_a_branch_that_nobody_can_prove_uniform(machine):
    """All work-items of a group take the same way, which only their data says."""
    source = """kernel void k(global int *out, global const int *in, global const int *way) {
        int i = get_global_id(0), x = in[i];
        if (way[i] == 1)
            x = work_group_scan_inclusive_add(x);
        else if (way[i] == 2)
            x = work_group_reduce_add(x) + work_group_broadcast(x, (size_t)way[i]);
        out[i] = x;
    }"""
    values = np.random.default_rng(4).integers(-50, 50, 6 * 20).astype(np.int32)
    ways = np.repeat(np.arange(6) % 3, 20).astype(np.int32)
    out = np.zeros_like(values)
    machine.launch(machine.build(source, OPTIONS).k, (120,), (20,), [out, values, ways])
    for x, way, got in zip(values.reshape(6, 20), ways[::20], out.reshape(6, 20), strict=True):
        np.testing.assert_array_equal(got, np.cumsum(x) if way == 1 else x.sum() + x[2] if way == 2 else x)
        assert got.dtype == np.int32


@pytest.mark.usefixtures("has_collectives")
def test_half(machine):
    machine.needs("cl_khr_fp16")
    values = np.random.default_rng(4).integers(-20, 20, 3 * 40).astype(np.float16)
    for name in OPERATIONS:
        out = np.zeros((len(values), 3), np.float16)
        source = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" + source_of(name, "half")
        machine.launch(machine.build(source, OPTIONS).k, (120,), (40,), [out, values])
        np.testing.assert_array_equal(out, expected(name, values, list(groups_of((120,), (40,)))))


@pytest.mark.usefixtures("has_collectives")
def test_the_device_says_so():
    from clapi import API, E
    api = API()
    device = api.devices()[0]
    assert api.number("clGetDeviceInfo", device, E.DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT) == 1


@pytest.mark.usefixtures("has_collectives")
def test_spirv(machine):
    """OpGroupAll, OpGroupAny, OpGroupBroadcast and the instructions of reductions and scans."""
    machine.needs_il()
    source = """kernel void k(global float *out, global const float *in, global int *votes, global const ulong *at) {
        size_t i = get_global_id(0);
        int n = convert_int(in[i]);
        out[6 * i] = work_group_reduce_add(in[i]);
        out[6 * i + 1] = work_group_scan_inclusive_max(in[i]);
        out[6 * i + 2] = work_group_scan_exclusive_add(in[i]);
        out[6 * i + 3] = work_group_broadcast(in[i], at[0]);
        out[6 * i + 4] = work_group_reduce_min(n);
        out[6 * i + 5] = work_group_scan_inclusive_min((uint)n);
        votes[2 * i] = work_group_all(in[i] > 0);
        votes[2 * i + 1] = work_group_any(in[i] > 90);
    }"""
    program = cl._cl._create_program_with_il(machine.context, spirv_source.compiled(source))
    program._build(b"", None)
    values = np.random.default_rng(4).integers(1, 99, 3 * 20).astype(np.float32)
    out, votes = np.zeros((60, 6), np.float32), np.zeros((60, 2), np.int32)
    machine.launch(cl._cl.Kernel(program, "k"), (60,), (20,), [out, values, votes, np.array([4], np.uint64)])
    for start in range(0, 60, 20):
        x, got, said = values[start:start + 20], out[start:start + 20], votes[start:start + 20]
        wanted = [np.full(20, x.sum()), np.maximum.accumulate(x), np.cumsum(x) - x, np.full(20, x[4]),
                  np.full(20, x.min()), np.minimum.accumulate(x)]
        np.testing.assert_array_equal(got, np.stack(wanted, 1))
        assert (said[:, 0] != 0).all()
        assert ((said[:, 1] != 0) == (x > 90).any()).all()


UNIFORM = {"IMul": "mul", "BitwiseAnd": "and", "BitwiseOr": "or", "BitwiseXor": "xor", "LogicalAnd": "logical_and",
           "LogicalOr": "logical_or", "LogicalXor": "logical_xor"}


@pytest.mark.parametrize("name", UNIFORM)
@pytest.mark.parametrize("operation", ["Reduce", "InclusiveScan", "ExclusiveScan"])
def test_spirv_uniform_arithmetic(machine, name, operation):
    machine.needs_il()
    machine.needs("cl_khr_work_group_uniform_arithmetic")
    header = spirv_source.KERNEL.replace("OpMemoryModel", """OpCapability Groups
OpCapability GroupUniformArithmeticKHR
OpExtension "SPV_KHR_uniform_group_instructions"
OpMemoryModel""").replace("OpStore %out %value", "OpStore %place %value")
    types = """%size3 = OpTypeVector %ulong 3
%input = OpTypePointer Input %size3
%id = OpVariable %input Input
%group = OpConstant %uint 2"""
    body = """%ids = OpLoad %size3 %id Aligned 32
%i = OpCompositeExtract %ulong %ids 0
%place = OpInBoundsPtrAccessChain %pointer %out %i
%x = OpLoad %uint %place Aligned 4
"""
    body += (f"""%truth = OpINotEqual %bool %x %zero
%result = OpGroup{name}KHR %bool %group {operation} %truth
%value = OpSelect %uint %result %one %zero""" if name.startswith("Logical") else
             f"%value = OpGroup{name}KHR %uint %group {operation} %x")
    decorations = "OpDecorate %id BuiltIn GlobalInvocationId\nOpDecorate %id Constant"
    module = spirv_source.assemble(header.format(body=body, types=types, decorations=decorations), "1.3")
    program = cl._cl._create_program_with_il(machine.context, module)
    program._build(b"", None)
    values = np.random.default_rng(9).integers(0, 1 << 31, 40, np.uint32)
    values[:4] = values[22] = 0
    out = values.copy()
    machine.launch(cl._cl.Kernel(program, "k"), (40,), (20,), [out])
    column = ("Reduce", "InclusiveScan", "ExclusiveScan").index(operation)
    np.testing.assert_array_equal(out, expected(UNIFORM[name], values, list(groups_of((40,), (20,))))[:, column])
