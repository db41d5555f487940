# SPDX-License-Identifier: Apache-2.0
"""Kernels that would be hundreds of thousands of instructions with all of their functions inlined: some are called
then, and know their work-item all the same. 8^3 times the same function, as materials of a ray tracer ask for textures.
"""
import numpy as np
import pyopencl as cl
import pytest

DEPTH, WAYS, STEPS = 3, 8, 60
LOCAL, GROUPS = 24, 5
SOURCE = """
typedef struct { uint x, y, z; } Three;
uint mixed(uint v, Three by, private uint *count) {
    *count += 1;
    uint id = get_global_id(0), here = get_local_id(0), row = get_group_id(0);
    %(steps)s
    return v + by.y;
}
%(levels)s
void meet(local uint *at) { barrier(CLK_LOCAL_MEM_FENCE); }
kernel void k(global uint *out, global uint *counts, local uint *shared) {
    uint count = 0, here = get_local_id(0);
    Three by = {1, get_global_size(0), 3};
    shared[here] = level_%(top)d(get_global_id(0) * 7u, by, &count);
    meet(shared);
    out[get_global_id(0)] = shared[get_local_size(0) - 1 - here];
    counts[get_global_id(0)] = count;
}
"""


def source():
    asked = ("id", "here", "row")
    steps = " ".join(f"v = v * {2 * i + 3}u + (v >> {i % 7 + 3}) + {asked[i % 3]};" for i in range(STEPS))
    levels = []
    for level in range(DEPTH):
        inner = f"level_{level - 1}" if level else "mixed"
        calls = " ".join(f"v = {inner}(v ^ {i}u, by, count);" for i in range(WAYS))
        levels.append(f"uint level_{level}(uint v, Three by, private uint *count) {{ {calls} return v; }}")
    return SOURCE % {"steps": steps, "levels": "\n".join(levels), "top": DEPTH - 1}


def expected():
    """The same in NumPy, all work-items at once."""
    id_ = np.arange(LOCAL * GROUPS, dtype=np.uint32)
    values = (id_, id_ % LOCAL, id_ // LOCAL)

    def level(depth, v):
        if depth < 0:
            for i in range(STEPS):
                v = v * np.uint32(2 * i + 3) + (v >> np.uint32(i % 7 + 3)) + values[i % 3].astype(np.uint32)
            return v + np.uint32(LOCAL * GROUPS)
        for i in range(WAYS):
            v = level(depth - 1, v ^ np.uint32(i))
        return v
    out = level(DEPTH - 1, id_ * np.uint32(7))
    return out.reshape(GROUPS, LOCAL)[:, ::-1].ravel()


@pytest.mark.parametrize("options", ("", "-g", "-cl-opt-disable"), ids=("usual", "debug", "plain"))
def test_functions_that_are_called_know_their_work_item(machine, options):
    if machine.is_model:
        pytest.skip("what is called on a model's chip is for LLVM to choose")
    kernel = cl.Kernel(machine.build(source(), options), "k")
    out, counts = np.zeros(LOCAL * GROUPS, np.uint32), np.zeros(LOCAL * GROUPS, np.uint32)
    machine.launch(kernel, out.shape, (LOCAL,), [out, counts, cl.LocalMemory(4 * LOCAL)])
    assert (counts == WAYS ** DEPTH).all()
    assert (out == expected()).all()
