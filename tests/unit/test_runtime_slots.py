# SPDX-License-Identifier: Apache-2.0
"""The memory of released objects: it goes back to the system, handles stay what they are, slots are used again."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
START = """if 1:
    import ctypes, random, sys, threading
    sys.path.insert(0, "tests/unit")
    from tests.clapi import *
    from clpy.api.process import lend
    lend()
    api = API()
    context = api.make("clCreateContext", None, 1, handles(api.devices()[0]), None, None)
    create, release, retain = api.clCreateBuffer, api.clReleaseMemObject, api.clRetainMemObject
    error = byref(ctypes.c_int32())
    N = 200000
    def resident():
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) << 10 for line in file if line.startswith("RssAnon"))
    def make(n):
        made = [create(context, 0, 64, None, error) for _ in range(n)]
        assert all(made) and len(set(made)) == n
        return made
    def drop(made):
        assert not any([release(each) for each in made])
"""


def run(script):
    text = START + "".join(f"    {line}\n" for line in script.splitlines())
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=300, cwd=ROOT,
                          env=os.environ)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("order", ["pass", "made.reverse()", "random.Random(1).shuffle(made)"])
def test_memory_goes_back(order):
    left, stale = run(f"""
made = make(N)
{order}
stale = made[::97]
before = resident()
drop(made)
after = resident()
made = None
print((before - after) / (N * 600) > 0.5, {{release(each) for each in stale}} | {{retain(each) for each in stale}})
""")
    assert (left, stale) == ("True", "{-38}")     # CL_INVALID_MEM_OBJECT: the loader found its table in each


def test_slots_are_used_again():
    assert run("""
made = make(N)
first, last = min(made), max(made)
for turn in range(3):
    random.Random(turn).shuffle(made)
    drop(made)
    made = make(N)
    assert first <= min(made) and max(made) <= last, "no address was used that was not before"
    assert not any([retain(each) for each in made])
    drop(made)
    for each in made[:1000]:
        assert api.number("clGetMemObjectInfo", each, E.MEM_REFERENCE_COUNT) == 1
print("done")
""") == ["done"]


def test_some_that_stay_are_left_alone():
    assert run("""
made = make(N)
random.Random(1).shuffle(made)
kept, rest = made[:10], made[10:]
before = resident()
drop(rest)
print((before - resident()) / (N * 600) > 0.5, all(api.number("clGetMemObjectInfo", each, E.MEM_SIZE) == 64
                                                   for each in kept))
drop(kept)
""") == ["True", "True"]


def test_threads_that_make_and_release_meanwhile():
    assert run("""
errors = []
def work(seed):
    dice, mine = random.Random(seed), []
    for size in (40000, 10, 30000, 50000):
        mine += make(size)
        dice.shuffle(mine)
        for each in mine[:1000]:
            if api.number("clGetMemObjectInfo", each, E.MEM_REFERENCE_COUNT) != 1:
                errors.append("two owners")
        drop(mine)
        mine = []
threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
from clpy.core.object import census
print(errors, census()["mem"])
""") == ["[]", "0"]


def test_a_fork_between():
    assert run("""
import os
made = make(N)
drop(made)
child = os.fork()
if not child:
    context = api.make("clCreateContext", None, 1, handles(api.devices()[0]), None, None)
    again = make(N)
    drop(again)
    os._exit(bool(set(made) & set(again)))
again = make(1000)
print(os.waitpid(child, 0)[1], set(again) <= set(made))
""") == ["0", "True"]
