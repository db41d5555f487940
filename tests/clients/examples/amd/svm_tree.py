# SPDX-License-Identifier: Apache-2.0
"""A binary tree of pointers in shared virtual memory, in three ways: the host makes it under a map and a kernel
searches it (coarse); the host goes on to add nodes without maps (fine); work-items add nodes themselves by compare and
exchange, all at once, while the host walks through what is there so far (atomics)."""
import random
import sys

import numpy as np
import pyopencl as cl
from example import ATOMIC_SVM, COARSE_SVM, FINE_SVM, Outcome, build, main

NODE = np.dtype([("left", np.uint64), ("right", np.uint64), ("key", np.int32), ("unused", np.int32)])
ALIGNMENT = 8      # of a pointer; pyopencl would ask for the size of a node, which is no power of two

SOURCE = """
struct node { global struct node *left, *right; int key, unused; };

kernel void search(global struct node *nodes, global const int *keys, global ulong *found)
{
    size_t i = get_global_id(0);
    global struct node *node = nodes;             // the first one is the root
    while (node && node->key != keys[i])
        node = keys[i] < node->key ? node->left : node->right;
    found[i] = (ulong)node;
}
"""

INSERT = """
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

struct node { ulong left, right; int key, unused; };

/* Each work-item has its own node, complete but for its place in the tree. */
kernel void insert(global struct node *nodes, uint first)
{
    global struct node *mine = &nodes[first + get_global_id(0)], *node = nodes;
    while (node) {
        global atomic_ulong *link = (global atomic_ulong *)(mine->key < node->key ? &node->left : &node->right);
        ulong next = 0;
        if (atomic_compare_exchange_strong_explicit(link, &next, (ulong)mine, memory_order_acq_rel,
                                                    memory_order_acquire, memory_scope_all_svm_devices))
            return;
        node = (global struct node *)next;         // another one is there: go on from it
    }
}
"""


class Tree:
    """The host's view of the nodes: reads and writes where the device does."""

    def __init__(self, nodes):
        self.nodes, self.base = nodes, nodes.ctypes.data

    def address(self, at):
        return self.base + at * NODE.itemsize

    def at(self, address):
        """The node's number; an address between nodes or outside would be a broken tree."""
        at, rest = divmod(int(address) - self.base, NODE.itemsize)
        if rest or not 0 <= at < len(self.nodes):
            raise ValueError(f"{int(address):#x} is the address of no node")
        return at

    def insert(self, at):
        key, here = self.nodes["key"][at], 0
        while True:
            side = "left" if key < self.nodes["key"][here] else "right"
            if not self.nodes[side][here]:
                self.nodes[side][here] = self.address(at)
                return
            here = self.at(self.nodes[side][here])

    def walk(self):
        """Keys in order, as they can be reached at this moment."""
        keys, above, address = [], [], self.base
        while above or address:
            while address:
                at = self.at(address)
                above.append(at)
                address = self.nodes["left"][at]
            at = above.pop()
            keys.append(int(self.nodes["key"][at]))
            address = self.nodes["right"][at]
        return keys


def some_keys(n, seed):
    """Different ones, in no order, and those to look for, of which half are not there."""
    numbers = random.Random(seed).sample(range(4 * n), 2 * n)
    return numbers[:n], numbers[n // 2:n + n // 2]


def fill(nodes, keys):
    nodes["left"] = nodes["right"] = 0
    nodes["key"] = keys


def search(queue, kernel, nodes, wanted, tree, keys):
    """Does the device find each key where the host put it, and no other?"""
    flags = cl.mem_flags
    wanted_mem = cl.Buffer(queue.context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=np.array(wanted, np.int32))
    found = np.empty(len(wanted), np.uint64)
    found_mem = cl.Buffer(queue.context, flags.WRITE_ONLY, found.nbytes)
    kernel(queue, (len(wanted),), None, cl.SVM(nodes), wanted_mem, found_mem)
    cl.enqueue_copy(queue, found, found_mem)
    places = {key: tree.address(at) for at, key in enumerate(keys)}
    return found.tolist() == [places.get(key, 0) for key in wanted]


def run_coarse(queue, n):
    keys, wanted = some_keys(n, 5)
    nodes = cl.csvm_empty(queue.context, n, NODE, alignment=ALIGNMENT)
    with cl.SVM(nodes).map_rw(queue) as mapped:
        tree = Tree(mapped)
        fill(mapped, keys)
        for at in range(1, n):
            tree.insert(at)
    right = search(queue, build(queue, SOURCE).search, nodes, wanted, tree, keys)
    return Outcome(f"{len(wanted)} keys looked for among {n}", right)


def run_fine(queue, n):
    keys, wanted = some_keys(n, 6)
    nodes = cl.fsvm_empty(queue.context, n, NODE, alignment=ALIGNMENT)
    tree, kernel = Tree(nodes), build(queue, SOURCE).search
    fill(nodes, keys)
    right, there = True, 1
    for part in (n // 2, n):                        # no map and no copy between host and device
        for at in range(there, part):
            tree.insert(at)
        there = part
        right &= search(queue, kernel, nodes, wanted, tree, keys[:there])
    return Outcome(f"{len(wanted)} keys looked for among {n // 2}, then {n}", right)


def run_atomics(queue, n):
    keys, wanted = some_keys(n, 7)
    kinds = cl.svm_mem_flags
    flags = kinds.READ_WRITE | kinds.SVM_FINE_GRAIN_BUFFER | kinds.SVM_ATOMICS
    nodes = cl.svm_empty(queue.context, flags, n, NODE, alignment=ALIGNMENT)
    tree = Tree(nodes)
    fill(nodes, keys)
    mine = n // 4                                   # the host's part, before the device's
    for at in range(1, mine):
        tree.insert(at)
    event = build(queue, INSERT).insert(queue, (n - mine,), None, cl.SVM(nodes), np.uint32(mine))
    queue.flush()
    right, walks, done = True, 0, False
    while not done:
        done = event.command_execution_status <= cl.command_execution_status.COMPLETE
        seen = tree.walk()                          # a tree in order at any moment, and what was there stays
        right &= seen == sorted(set(seen)) and set(keys[:mine]) <= set(seen) <= set(keys)
        walks += 1
    event.wait()
    right &= tree.walk() == sorted(keys)
    right &= search(queue, build(queue, SOURCE).search, nodes, wanted, tree, keys)
    return Outcome(f"{n - mine} nodes added to {mine} at once, {walks} walks meanwhile", bool(right))


WAYS = {"coarse": (run_coarse, COARSE_SVM), "fine": (run_fine, FINE_SVM), "atomics": (run_atomics, ATOMIC_SVM)}

if __name__ == "__main__":
    way = sys.argv.pop(1) if len(sys.argv) > 1 and sys.argv[1] in WAYS else "coarse"
    main(f"SVM binary tree, {way}", WAYS[way][0], 2048, f"{__doc__} The first argument: {', '.join(WAYS)}.",
         WAYS[way][1])
