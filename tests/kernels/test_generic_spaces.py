# SPDX-License-Identifier: Apache-2.0
"""What a generic pointer points to: to_global, to_local, to_private and get_fence, in scalars and in vectors, with
private arrays on the stack and in context memory."""
import numpy as np
import pyopencl as cl
import pytest
import spirv_source

GLOBAL, LOCAL, PRIVATE = range(3)
FENCES = {GLOBAL: 2, LOCAL: 1}      # CLK_GLOBAL_MEM_FENCE, CLK_LOCAL_MEM_FENCE
# The generic pointer stands left: Clang converts the right side of a comparison to the type of the left one, and of a
# pointer that is not of that space nobody can tell what becomes of it.
TELL = """
int tell(int *p) {
    return (p == to_global(p)) | (p == to_local(p)) << 1 | (p == to_private(p)) << 2
        | (to_global(p) == 0) << 3 | (to_local(p) == 0) << 4 | (to_private(p) == 0) << 5;
}
"""
EXPECTED = {GLOBAL: 0b110001, LOCAL: 0b101010, PRIVATE: 0b011100}
KERNEL = TELL + """
kernel void k(global int *out, global int *data, local int *given, global const int *which) {
    local int fixed[3];
    size_t i = get_global_id(0);
    int mine[BYTES / 4];
    mine[i % (BYTES / 4)] = which[i];
    BARRIER
    int *p = which[i] == 0 ? data + i : which[i] == 1 ? (int *)(given + get_local_id(0))
           : which[i] == 2 ? (int *)(mine + i % (BYTES / 4)) : (int *)(fixed + 1);
    out[2 * i] = tell(p);
    out[2 * i + 1] = get_fence(p);
    BARRIER
    out[2 * i] += mine[i % (BYTES / 4)] - which[i];
}
"""
OPTIONS = ("-cl-std=CL2.0", "-cl-std=CL3.0", "-cl-std=CL3.0 -cl-opt-disable")


@pytest.fixture(autouse=True)
def has_generic_pointers(machine):
    if not machine.has_generic_pointers:
        pytest.skip(f"{machine.device.name} has no generic pointers")


def check(machine, source, options, total=200, size=50):
    which = np.random.default_rng(total).integers(0, 4, total).astype(np.int32)
    out, data = np.zeros((total, 2), np.int32), np.zeros(total, np.int32)
    machine.launch(machine.build(source, options).k, (total,), (size,), [out, data, cl.LocalMemory(4 * size), which])
    space = np.array([GLOBAL, LOCAL, PRIVATE, LOCAL])[which]
    np.testing.assert_array_equal(out[:, 0], np.array([EXPECTED[s] for s in range(3)])[space])
    for kind, fence in FENCES.items():
        assert (out[space == kind, 1] == fence).all()


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("stored", [64, 40000], ids=["stack", "context"])
@pytest.mark.parametrize("barrier", ["", "barrier(CLK_LOCAL_MEM_FENCE);"], ids=["whole", "cut"])
def test_each_space(machine, options, stored, barrier):
    check(machine, KERNEL.replace("BYTES", str(stored)).replace("BARRIER", barrier), options)


def test_null_and_program_scope(machine):
    """Nothing points nowhere; variables of the program and constants that are no one's own are in global memory."""
    source = TELL + """
global int at_home = 3;
kernel void k(global int *out, int zero) {
    static global int here;
    int *nothing = (int *)(ulong)zero;
    out[0] = tell(&at_home);
    out[1] = tell(&here);
    out[2] = (to_global(nothing) == 0) + (to_local(nothing) == 0) + (to_private(nothing) == 0);
}"""
    out = np.zeros(3, np.int32)
    machine.launch(machine.build(source, "-cl-std=CL3.0").k, (1,), None, [out, np.int32(0)])
    assert out.tolist() == [EXPECTED[GLOBAL], EXPECTED[GLOBAL], 3]


@pytest.mark.parametrize("options", OPTIONS)
def test_accesses_through_the_answers(machine, options):
    """What comes out of to_SPACE is a pointer of that space: it is read and written as one, in functions too."""
    source = """
__attribute__((noinline)) int take(int *p) {
    global int *g = to_global(p);
    local int *l = to_local(p);
    private int *mine = to_private(p);
    if (g) { int x = *g; *g = x + 1; return 1000 + x; }
    if (l) { *l += 2; return 2000 + *l; }
    *mine += 3;
    return 3000 + *mine;
}
kernel void k(global int *out, global int *data) {
    local int shared[64];
    int i = get_local_id(0), mine = i;
    shared[i] = i;
    out[i] = take(data + i) + take(shared + i) * 3 + take(&mine) * 7 + shared[i] * 11 + mine * 13;
}"""
    i = np.arange(37, dtype=np.int32)
    out, data = np.zeros(37, np.int32), 5 * i
    machine.launch(machine.build(source, options).k, (37,), (37,), [out, data])
    assert (data == 5 * i + 1).all()
    assert (out == 1000 + 5 * i + 3 * (2002 + i) + 7 * (3003 + i) + 11 * (i + 2) + 13 * (i + 3)).all()


def test_structures_of_pointers(machine):
    """Pointers that went through memory."""
    source = TELL + """
typedef struct { int *g, *l, *p; } three;
void fill(three *t, global int *g, local int *l, private int *p) { t->g = g; t->l = l; t->p = p; }
kernel void k(global int *out, global int *data) {
    local int shared[7];
    local three in_local;
    int mine = 1;
    three own;
    fill(&own, data, shared, &mine);
    if (get_local_id(0) == 0)
        fill(&in_local, data, shared, &mine);
    barrier(CLK_LOCAL_MEM_FENCE);
    global int *o = out + 5 * get_global_id(0);
    o[0] = tell(own.g); o[1] = tell(own.l); o[2] = tell(own.p); o[3] = tell(in_local.g); o[4] = tell(in_local.l);
}"""
    out, data = np.zeros((30, 5), np.int32), np.zeros(4, np.int32)
    machine.launch(machine.build(source, "-cl-std=CL3.0").k, (30,), (10,), [out, data])
    wanted = [EXPECTED[s] for s in (GLOBAL, LOCAL, PRIVATE, GLOBAL, LOCAL)]
    assert (out == wanted).all()


def test_spirv(machine):
    """OpGenericCastToPtrExplicit and OpGenericPtrMemSemantics, as Clang makes SPIR-V of the functions."""
    machine.needs_il()

    source = KERNEL.replace("BYTES", "64").replace("BARRIER", "")
    program = cl._cl._create_program_with_il(machine.context, spirv_source.compiled(source))
    program._build(b"", None)
    which = np.arange(40, dtype=np.int32) % 4
    out, data = np.zeros((40, 2), np.int32), np.zeros(40, np.int32)
    machine.launch(cl._cl.Kernel(program, "k"), (40,), (20,), [out, data, cl.LocalMemory(80), which])
    assert (out[:, 0] == np.array([EXPECTED[s] for s in (GLOBAL, LOCAL, PRIVATE, LOCAL)])[which]).all()
