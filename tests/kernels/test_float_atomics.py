# SPDX-License-Identifier: Apache-2.0
"""cl_ext_float_atomics: additions, minima and maxima of floats and doubles in memory that others change too."""
import numpy as np
import pyopencl as cl
import pytest
import spirv_source

TYPES = {"half": np.float16, "float": np.float32, "double": np.float64}
HALF = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
STANDARDS = ("-cl-std=CL2.0", "-cl-std=CL3.0", "-cl-std=CL3.0 -cl-opt-disable")
# name -> (NumPy's, the value to start with)
OPERATIONS = {"add": (lambda v: v.sum(), 0), "sub": (lambda v: -v.sum(), 0), "min": (np.min, np.inf),
              "max": (np.max, -np.inf)}
FORMS = ("atomic_fetch_{}({}, {})", "atomic_fetch_{}_explicit({}, {}, memory_order_relaxed)",
         "atomic_fetch_{}_explicit({}, {}, memory_order_acq_rel, memory_scope_device)")


def values_of(dtype, count=3 * 500):
    most = 4 if dtype == np.float16 else 1000       # sums are exact
    return np.random.default_rng(count).integers(-most, most + 1, count).astype(dtype)


@pytest.mark.parametrize("options", STANDARDS)
@pytest.mark.parametrize("type_", TYPES)
def test_in_global_memory(machine, type_, options):
    """Every work-item of several groups changes the same places, by every form of each function."""
    machine.needs("cl_ext_float_atomics")
    machine.needs("cl_khr_fp16" if type_ == "half" else "cl_khr_fp64")
    calls = [form.format(name, f"at + {i}", "in[i]") for i, (name, form) in
             enumerate((name, form) for name in OPERATIONS for form in FORMS)]
    source = (f"{HALF}kernel void k(volatile global atomic_{type_} *at, global const {type_} *in) "
              "{ size_t i = get_global_id(0); " + "; ".join(calls) + "; }")
    values = values_of(TYPES[type_])
    places = np.repeat([start for _, start in OPERATIONS.values()], len(FORMS)).astype(values.dtype)
    machine.launch(machine.build(source, options).k, (len(values),), (50,), [places, values])
    wanted = np.repeat([function(values) for function, _ in OPERATIONS.values()], len(FORMS))
    np.testing.assert_array_equal(places, wanted)


@pytest.mark.parametrize("options", STANDARDS)
@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("pointer", ["local", "", "global"])
def test_what_was_there_before(machine, type_, pointer, options):
    """One group: the answers are the sums before, in some order; also by way of a pointer to any memory."""
    machine.needs("cl_ext_float_atomics")
    machine.needs("cl_khr_fp16" if type_ == "half" else "cl_khr_fp64")
    if not pointer and not machine.has_generic_pointers:
        pytest.skip(f"{machine.device.name} has no generic address space")
    where = "global" if pointer == "global" else "local"
    source = HALF + f"""
        {type_} change(volatile {pointer} atomic_{type_} *at, {type_} x) {{ return atomic_fetch_add(at, x); }}
        kernel void k(volatile global atomic_{type_} *outer, global {type_} *out) {{
            local atomic_{type_} inner;
            volatile {where} atomic_{type_} *at = {"outer" if where == "global" else "&inner"};
            if (get_local_id(0) == 0)
                atomic_store(at, 1);
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
            out[get_local_id(0)] = change(at, 2);
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
            if (get_local_id(0) == 0)
                atomic_exchange(outer, atomic_load(at) + 1);
        }}"""
    out, outer = np.zeros(77, TYPES[type_]), np.zeros(1, TYPES[type_])
    machine.launch(machine.build(source, options).k, (77,), (77,), [outer, out])
    np.testing.assert_array_equal(np.sort(out), 1 + 2 * np.arange(77))
    assert outer[0] == 1 + 2 * 77 + 1


def test_special_values(machine):
    """A NaN is no minimum where there is a number; infinities are numbers."""
    machine.needs("cl_ext_float_atomics")
    source = """kernel void k(volatile global atomic_float *at, float x) {
        atomic_fetch_min(at, x); atomic_fetch_max(at + 1, x); atomic_fetch_add(at + 2, x); }"""
    program = machine.build(source, "-cl-std=CL3.0")
    for x, wanted in ((np.nan, [1, 1, np.nan]), (np.inf, [1, np.inf, np.inf]), (-np.inf, [-np.inf, 1, -np.inf])):
        at = np.ones(3, np.float32)
        machine.launch(program.k, (1,), None, [at, np.float32(x)])
        np.testing.assert_array_equal(at, np.array(wanted, np.float32))


@pytest.mark.parametrize("options", ["", *STANDARDS[:2]])
def test_macros(machine, options):
    machine.needs("cl_ext_float_atomics")
    names = ["cl_ext_float_atomics", *(f"__opencl_c_ext_fp16_{m}_atomic_load_store" for m in ("global", "local")),
             *(f"__opencl_c_ext_{t}_{m}_atomic_{o}" for t in ("fp16", "fp32", "fp64")
               for m in ("global", "local") for o in ("add", "min_max"))]
    if "cl_khr_fp16" not in machine.device.extensions:
        names = [name for name in names if "fp16" not in name]
    tests = "".join(f"#ifdef {name}\n o[{i}] = 1;\n#endif\n" for i, name in enumerate(names))
    out = np.zeros(len(names), np.int32)
    machine.launch(machine.build(f"kernel void k(global int *o) {{\n{tests} }}", options).k, (1,), None, [out])
    assert out.all()
    assert set(names[1:]) <= machine.features


# Instruction -> (capability, extension, the value behind).
INSTRUCTIONS = {"OpAtomicFAddEXT": ("AtomicFloat{}AddEXT", "SPV_EXT_shader_atomic_float_add", 1.5 + 2.25),
                "OpAtomicFMinEXT": ("AtomicFloat{}MinMaxEXT", "SPV_EXT_shader_atomic_float_min_max", 1.5),
                "OpAtomicFMaxEXT": ("AtomicFloat{}MinMaxEXT", "SPV_EXT_shader_atomic_float_min_max", 2.25)}


@pytest.mark.parametrize("bits", [16, 32, 64])
@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_spirv(machine, name, bits):
    machine.needs("cl_ext_float_atomics")
    machine.needs("cl_khr_fp16" if bits == 16 else "cl_khr_fp64")
    machine.needs_il()
    capability, extension, wanted = INSTRUCTIONS[name]
    if bits == 16:
        capability += "\nOpCapability Float16"
        extension = extension.replace("float_add", "float16_add")
    header = spirv_source.KERNEL.replace("OpMemoryModel", f"""OpCapability {capability.format(bits)}
OpExtension "{extension}"
OpMemoryModel""").replace("OpStore %out %value Aligned 4", "")
    types = f"""%float = OpTypeFloat {bits}
%place = OpTypePointer CrossWorkgroup %float
%x = OpConstant %float 2.25"""
    body = f"%at = OpBitcast %place %out\n%old = {name} %float %at %one %zero %x"
    module = spirv_source.assemble(header.format(body=body, types=types, decorations=""), "1.3")
    program = cl._cl._create_program_with_il(machine.context, module)
    program._build(b"", None)
    data = np.array([1.5], f"f{bits // 8}")
    machine.launch(cl._cl.Kernel(program, "k"), (1,), None, [data])
    assert data[0] == wanted


def test_queries():
    from clapi import API, E
    api = API()
    device = api.devices()[0]
    everything = 0
    for place in ("GLOBAL", "LOCAL"):
        for operation in ("LOAD_STORE", "ADD", "MIN_MAX"):
            everything |= getattr(E, f"DEVICE_{place}_FP_ATOMIC_{operation}_EXT")
    for kind in ("HALF", "SINGLE", "DOUBLE"):
        query = getattr(E, f"DEVICE_{kind}_FP_ATOMIC_CAPABILITIES_EXT")
        assert api.number("clGetDeviceInfo", device, query) == everything
