# SPDX-License-Identifier: Apache-2.0
"""One chunk of calls, in a process of its own: `python -m tests.calls.child JOURNAL SEED COUNT THREADS [BREAK_AT]`.

The journal is a file that the parent can read when this process is gone: how far it came and the last calls.
Prints one line of JSON."""
import ctypes
import json
import mmap
import os
import signal
import struct
import sys
import threading
import time

from .table import VALUES, error_name, functions
from .world import SEEN, World

SLOTS, SLOT = 48, 512
SIZE = 4096 + SLOTS * SLOT


class Journal:
    """A ring of texts in shared memory; the first word counts the calls."""

    def __init__(self, path, lock=None, break_at=0):
        with open(path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), SIZE)
        self.count, self.lock, self.break_at = 0, lock, break_at
        self.local = threading.local()

    def note(self, function, values):
        if self.lock:
            with self.lock:
                self.write(function, values)
        else:
            self.write(function, values)

    def write(self, function, values):
        self.count += 1
        at = 4096 + self.count % SLOTS * SLOT
        text = " ".join(f"{p.name}={v:#x}" if type(v) is int and v > 9 else f"{p.name}={v}"
                        for p, v in zip(function.params, values, strict=True))
        raw = f"{self.count} {function.name} {text}".encode()[:SLOT - 32]
        self.local.at = at
        self.memory[at:at + SLOT] = raw.ljust(SLOT, b"\0")
        self.memory[0:8] = struct.pack("<Q", self.count)
        if self.count == self.break_at:
            os.kill(os.getpid(), signal.SIGSEGV)

    def last(self):
        """The call that was noted last."""
        return self.memory[self.local.at:self.local.at + SLOT].replace(b"\0", b" ").decode(errors="replace").split()

    def result(self, result, code):
        text = f"-> {error_name(code) if code is not None else hex(result or 0)}".encode()[:31]
        at = self.local.at + SLOT - 32
        self.memory[at:at + 32] = text.ljust(32, b"\0")


def census_when_quiet(expected, *kinds):
    """The live objects once the last commands have let go of theirs; of these kinds only, or of all."""
    from clpy.core.object import census
    deadline = time.monotonic() + 5
    while any(census()[kind] != expected[kind] for kind in kinds or expected) and time.monotonic() < deadline:
        time.sleep(0.002)
    return census()


def make_what_stays(functions):
    """Devices that are made when a context first asks for them are never released: before objects are counted."""
    of_type = VALUES.get("CL_CONTEXT_OFFLINE_DEVICES_AMD")
    if of_type is not None:
        context = functions["clCreateContextFromType"].call((ctypes.c_uint64 * 3)(of_type, 1, 0), 0xffffffff, 0, 0, 0)
        functions["clReleaseContext"].call(context)


def run_thread(world, count, failures):
    try:
        while world.calls < count:
            world.step()
        world.end()
    except Exception as error:       # of the generator itself: said as such
        import traceback
        failures.append(f"{type(error).__name__}: {error}\n{traceback.format_exc()}")


def main():
    path, seed, count, threads, break_at = sys.argv[1], *map(int, sys.argv[2:])
    table = functions()
    journal = Journal(path, threading.Lock() if threads > 1 else None, break_at)
    from clpy.core.object import census
    make_what_stays(table)
    before, failures = census(), []
    common = World(table, seed, journal) if threads > 1 else None
    worlds = []
    if common:
        common.begin()
        common.basics()
        for number in range(threads):
            shared = {kind: list(common.pools[kind]) for kind in ("cl_context", "cl_command_queue", "cl_mem")}
            worlds.append(World(table, seed * 1000 + number, journal, shared))
    else:
        worlds.append(World(table, seed, journal))
    for world in worlds:
        world.begin()
    runners = [threading.Thread(target=run_thread, args=(world, count // threads, failures)) for world in worlds[1:]]
    for runner in runners:
        runner.start()
    run_thread(worlds[0], count // threads, failures)
    for runner in runners:
        runner.join()
    if common:
        common.end()
        common.end_memory()
    census_when_quiet(before, "event", "queue")
    for world in worlds:
        world.end_memory()
    failures += [f"{text}: {' '.join(call)}" for world in worlds for text, call in world.failures.items()]
    after = census_when_quiet(before)
    left = {kind: after[kind] - before[kind] for kind in before if after[kind] != before[kind]}
    if left:
        failures.append("not released: " + ", ".join(f"{n} {kind}" for kind, n in left.items()))
    reached = sorted({name for world in worlds for name, code in world.codes if code == 0})
    print(json.dumps({"calls": journal.count, "failures": failures, "callbacks": len(SEEN), "succeeded": reached,
                      "codes": len({pair for world in worlds for pair in world.codes}),
                      "successes": sum(world.counts.get(True, 0) for world in worlds)}), flush=True)
    os._exit(1 if failures else 0)


if __name__ == "__main__":
    main()
