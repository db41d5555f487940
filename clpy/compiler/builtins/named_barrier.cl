// SPDX-License-Identifier: Apache-2.0
// Named barriers of SPIR-V: as many sub-groups of a work-group as a barrier was made for wait for each other there.
// compiler/spirv_imports.py makes calls of these functions, and the memory of each barrier.
#include "builtins.h"

typedef struct {
    uint count;             // sub-groups that it waits for
    atomic_uint arrived;    // of them, this time
    atomic_uint turn;       // how often all have been here
} named_barrier;

#define RELAXED memory_order_relaxed, memory_scope_work_group
#define ACQ_REL memory_order_acq_rel, memory_scope_device
#define CONVERGENT __attribute__((convergent, always_inline))

// All work-items of the group come here. None may still wait at what was here before.
CONVERGENT __local named_barrier *__clpy_named_barrier_init(__local named_barrier *made, uint count) {
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if ((get_local_id(0) | get_local_id(1) | get_local_id(2)) == 0) {
        made->count = count;
        atomic_init(&made->arrived, 0);
        atomic_init(&made->turn, 0);
    }
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    return made;
}

// One work-item of a sub-group arrives for all. The last to come sends the others on; a turn cannot end before that.
// Where work-items run one after the other (their private arrays are too large for vectors), each would wait for ever:
// the kernel ends as one does that touches what is not there.
CONVERGENT void __clpy_named_barrier_wait(__local named_barrier *here) {
    sub_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_scope_device);
    if (get_max_sub_group_size() == 1)
        *(volatile __global uint *)0 = 0;
    if (get_sub_group_local_id() == 0) {
        uint turn = atomic_load_explicit(&here->turn, RELAXED);
        if (atomic_fetch_add_explicit(&here->arrived, 1, ACQ_REL) + 1 >= here->count) {
            atomic_store_explicit(&here->arrived, 0, RELAXED);
            atomic_store_explicit(&here->turn, turn + 1, memory_order_release, memory_scope_device);
        } else
            while (atomic_load_explicit(&here->turn, memory_order_acquire, memory_scope_device) == turn)
                ;
    }
    sub_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_scope_device);
}
