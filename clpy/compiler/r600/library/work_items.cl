/* SPDX-License-Identifier: Apache-2.0
 * Work-items: what libclc does not know of, the offset of the NDRange. It lies behind the kernel's arguments, after the
 * number of dimensions (compiler/r600/facts.py).
 */
#define IMPLICIT ((const __attribute__((address_space(7))) uint *)__builtin_r600_implicitarg_ptr())
#define OVERLOADED __attribute__((overloadable))

uint OVERLOADED get_work_dim(void) { return IMPLICIT[0]; }

size_t OVERLOADED get_global_offset(uint dim) { return dim < 3 ? IMPLICIT[1 + dim] : 0; }

size_t OVERLOADED get_global_id(uint dim)
{
    return get_global_offset(dim) + get_group_id(dim) * get_local_size(dim) + get_local_id(dim);
}

/* A wavefront's accesses are in the order of its code. */
#define FENCE(name) void OVERLOADED name(cl_mem_fence_flags flags) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
FENCE(mem_fence)
FENCE(read_mem_fence)
FENCE(write_mem_fence)
