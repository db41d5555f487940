# SPDX-License-Identifier: Apache-2.0
"""Where buffers are, on a model: in memory of the device's or of the host's, and what it costs to copy and map them."""
from .test_device import run

PLACES = """
from pyopencl import mem_flags as mf, map_flags
MB = 1 << 20
host = np.arange(16 * MB, dtype=np.uint8)
def write(buffer, of=host):
    return ns(cl.enqueue_copy(queue, buffer, of, is_blocking=False))
def copied(a, b):
    return ns(cl.enqueue_copy(queue, b, a))
device, other = (cl.Buffer(context, 0, host.nbytes) for _ in range(2))
on_host, too = (cl.Buffer(context, mf.ALLOC_HOST_PTR, host.nbytes) for _ in range(2))
staging, _ = cl.enqueue_map_buffer(queue, on_host, map_flags.WRITE, 0, host.shape, host.dtype)
staging[:] = host
"""


def test_where_buffers_are_decides_what_copies_cost():
    """AMD's guide: memory that CL_MEM_ALLOC_HOST_PTR gave is pinned: what is copied from it goes at the link's whole
    rate, also through the pointer of a map. It stays with the host, who maps it for nothing."""
    lines = run(PLACES + """
pageable, pinned = write(device), write(device, staging)
by_engine = copied(on_host, device)
print(pinned < .8 * pageable, pinned == by_engine, by_engine == copied(device, too))
print(copied(device, other) < .2 * pinned)
def mapped(buffer, n):
    a, event = cl.enqueue_map_buffer(queue, buffer, map_flags.READ, 0, (n,), np.uint8, is_blocking=False)
    return ns(event)
print(mapped(too, 1) == mapped(too, 16 * MB) < 1e-2 * mapped(device, 16 * MB))
user = np.zeros(MB, np.uint8)
used = cl.Buffer(context, mf.USE_HOST_PTR, hostbuf=user)
print(mapped(used, MB) == mapped(too, 1), write(device, user) < .8 * write(device, host[:MB]))
check = np.empty_like(host)
cl.enqueue_copy(queue, check, device)
print((check[MB:] == host[MB:]).all())
""")
    assert lines == ["True True True", "True", "True", "True True", "True"]


def test_memory_of_the_host_is_forgotten_with_its_buffer():
    assert run(PLACES + """
user = np.zeros(MB, np.uint8)
used = cl.Buffer(context, mf.USE_HOST_PTR, hostbuf=user)
pinned = write(device, user)
used.release()
print(write(device, user) > 1.2 * pinned)
""") == ["True"]
