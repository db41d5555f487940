# SPDX-License-Identifier: Apache-2.0
"""The clock that kernels read: it goes forward, every reading is one of its own, in vectors and scalars alike."""
import numpy as np
import pyopencl as cl
import pytest
import spirv_source

SCOPES = ("device", "work_group", "sub_group")


@pytest.mark.parametrize("options", ["", "-cl-std=CL3.0", "-cl-opt-disable"])
@pytest.mark.parametrize("scope", SCOPES)
def test_goes_forward_in_every_work_item(machine, scope, options):
    source = f"""
        kernel void k(global ulong *out, global const int *rounds) {{
            size_t i = get_global_id(0);
            ulong first = clock_read_{scope}();
            uint2 hilo = clock_read_hilo_{scope}();
            int x = 1;
            for (int j = 0; j < rounds[i]; j++)
                x = x * 1103515245 + 12345;
            ulong last = (i & 1) ? clock_read_{scope}() : clock_read_{scope}() | (ulong)(x == 7) << 63;
            out[4 * i] = first;
            out[4 * i + 1] = upsample(hilo.hi, hilo.lo);
            out[4 * i + 2] = last;
            out[4 * i + 3] = clock_read_{scope}() - clock_read_{scope}();
        }}"""
    out = np.zeros((256, 4), np.uint64)
    rounds = np.arange(256, dtype=np.int32) % 50 * 20
    machine.launch(machine.build(source, options).k, (256,), (64,), [out, rounds])
    assert (out[:, 0] < out[:, 1]).all()
    assert (out[:, 1] < out[:, 2]).all()
    assert (out[:, 3].view(np.int64) < 0).all(), "two readings in one expression are two, in their order"


def test_across_a_barrier(machine):
    """What was read before a barrier is not read again after it."""
    source = """
        kernel void k(global ulong *out) {
            ulong before = clock_read_device();
            barrier(CLK_LOCAL_MEM_FENCE);
            out[get_global_id(0)] = clock_read_device();
            barrier(CLK_GLOBAL_MEM_FENCE);
            out[get_global_id(0) + get_global_size(0)] = before;
        }"""
    out = np.zeros((2, 64), np.uint64)
    machine.launch(machine.build(source).k, (64,), (64,), [out])
    assert out[1].max() < out[0].min()


def test_a_time_that_passes(machine):
    """Longer work takes longer by this clock."""
    source = """
        kernel void k(global ulong *out, uint rounds) {
            ulong start = clock_read_device();
            uint x = rounds;
            for (uint j = 0; j < rounds; j++)
                x = x * 1103515245 + 12345;
            out[1] = x;
            out[0] = clock_read_device() - start;
        }"""
    built = machine.build(source).k
    times = []
    for rounds in (1000, 1000000):
        out = np.zeros(2, np.uint64)
        machine.launch(built, (1,), None, [out, np.uint32(rounds)])
        times.append(int(out[0]))
    assert times[1] > 20 * times[0] > 0


@pytest.mark.parametrize("hilo", [False, True])
@pytest.mark.parametrize("scope", [1, 2, 3])
def test_spirv(machine, scope, hilo):
    machine.needs_il()
    header = spirv_source.KERNEL.replace("OpMemoryModel", """OpCapability ShaderClockKHR
OpExtension "SPV_KHR_shader_clock"
OpMemoryModel""")
    types = f"%v2 = OpTypeVector %uint 2\n%scope = OpConstant %uint {scope}"
    if hilo:
        body = """%a = OpReadClockKHR %v2 %scope
%b = OpReadClockKHR %v2 %scope
%a0 = OpCompositeExtract %uint %a 0
%b0 = OpCompositeExtract %uint %b 0
%value = OpISub %uint %b0 %a0"""
    else:
        body = """%a = OpReadClockKHR %ulong %scope
%b = OpReadClockKHR %ulong %scope
%d = OpISub %ulong %b %a
%value = OpUConvert %uint %d"""
    module = spirv_source.assemble(header.format(body=body, types=types, decorations=""), "1.3")
    program = cl._cl._create_program_with_il(machine.context, module)
    program._build(b"", None)
    out = np.zeros(1, np.uint32)
    machine.launch(cl._cl.Kernel(program, "k"), (1,), None, [out])
    assert 0 < out[0] < 1 << 30


def test_queries(machine):
    from clapi import API, E
    api = API()
    device = api.devices()[0]
    everything = (E.DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR | E.DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR
                  | E.DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR)
    assert api.number("clGetDeviceInfo", device, E.DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR) == everything
    features = {row.name for row in machine.device.opencl_c_features}
    assert {f"__opencl_c_kernel_clock_scope_{scope}" for scope in SCOPES} <= features
