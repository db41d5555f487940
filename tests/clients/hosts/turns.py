# SPDX-License-Identifier: Apache-2.0
"""Several contexts with long kernels in one program: `turns.py MODE`, prints "ok"."""
import os
import sys
import threading
import time

import numpy as np
import pyopencl as cl
from waits import Setting


def wait_until(condition):
    """It is a matter of the threads of the device, so of time; but not of how much."""
    until = time.monotonic() + 40
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.005)


def begin(setting, groups=64):
    event = setting.begin(groups)
    wait_until(lambda: setting.flags[0] == 1)
    return event


def ends(setting, *events):
    setting.flags[1] = 1
    setting.queue.finish()
    assert {event.command_execution_status for event in events} == {cl.command_execution_status.COMPLETE}
    setting.works()


def endless():
    """A context works beside kernels without an end of another one, with many groups and with a few."""
    for groups in (64, 1):
        busy, other = Setting(), Setting()
        events = [begin(busy, groups)]
        # Of another queue, so that it could run too: the context has had its turn.
        queue = cl.CommandQueue(busy.context)
        events += [busy.kernels["until_told"](queue, (groups,), (1,), busy.shared) for _ in range(3)]
        queue.flush()
        for _ in range(5):
            other.works()
        ends(busy, events[0])
        queue.finish()
        other.works()


def from_threads():
    """The same, where others than the main thread launch and wait."""
    busy, others = Setting(), [Setting() for _ in range(3)]
    event = begin(busy)
    failed = []

    def work(setting):
        try:
            for _ in range(3):
                setting.works()
        except Exception as error:
            failed.append(error)
            raise
    threads = [threading.Thread(target=work, args=(setting,)) for setting in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    ends(busy, event)


def several_endless():
    """One after the other, each beside those before it."""
    settings = [Setting() for _ in range(5)]
    events = []
    for setting in settings:
        setting.works()
        events.append(begin(setting))
    last = Setting()
    last.works()
    for setting, event in zip(settings, events, strict=True):
        ends(setting, event)
    for setting in [*settings, last]:
        setting.works()


def both_go_on():
    """Long kernels with an end: neither waits for the other's last one."""
    n, groups, steps = 40, 64, 20000
    settings = [Setting(), Setting()]
    done = [[], []]
    xs, events = [], []
    for setting in settings:
        xs.append(cl.Buffer(setting.context, cl.mem_flags.READ_WRITE, 4 * groups))
        cl.enqueue_fill_buffer(setting.queue, xs[-1], np.float32(1), 0, 4 * groups)
        setting.queue.finish()
    for which, (setting, x) in enumerate(zip(settings, xs, strict=True)):
        for _ in range(n):
            events.append(setting.kernels["slow"](setting.queue, (groups,), (1,), x, np.int32(steps)))
            events[-1].set_callback(cl.command_execution_status.COMPLETE,
                                    lambda status, which=which: done[which].append(time.monotonic()))
        setting.queue.flush()
    for setting, x in zip(settings, xs, strict=True):
        setting.queue.finish()
        out = np.empty(groups, np.float32)
        cl.enqueue_copy(setting.queue, out, x)
        assert (out == out[0]).all() and 0.4 < out[0] < 2.6, out
    wait_until(lambda: len(done[0]) == len(done[1]) == n)
    first, second = done
    assert second[0] < first[-1] and first[0] < second[-1]
    assert second[n // 4] < first[-1], "the second context had to wait"


def taken_back():
    """What the endless one had is taken back when it is stopped."""
    busy, other = Setting(), Setting()
    busy.begin()
    wait_until(lambda: busy.flags[0] == 1)
    other.works()
    busy.flags[1] = 1
    busy.queue.finish()
    wait_until(lambda: "clpy-turns" not in names_of_threads())
    busy.works()
    other.works()


def names_of_threads():
    names = []
    for task in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{task}/comm") as file:
                names.append(file.read().strip())
        except OSError:          # it has ended meanwhile
            pass
    return names


def one_context():
    """Nobody watches where there is one context, however much it has to do."""
    setting = Setting()
    queues = [cl.CommandQueue(setting.context) for _ in range(4)]
    x = cl.Buffer(setting.context, cl.mem_flags.READ_WRITE, 4 * 1000)
    for i in range(2000):
        setting.kernels["add"](queues[i % 4], (1000,), (1,), x, np.int32(1))
        if i % 100 == 0:
            assert "clpy-turns" not in names_of_threads()
    for queue in queues:
        queue.finish()
    assert "clpy-turns" not in names_of_threads()


def exit_():
    """A program may end beside kernels that do not."""
    busy, other = Setting(), Setting()
    begin(busy)
    other.works()


MODES = {"endless": endless, "from-threads": from_threads, "several-endless": several_endless, "both-go-on": both_go_on,
         "taken-back": taken_back, "one-context": one_context, "exit": exit_}

if __name__ == "__main__":
    MODES[sys.argv[1]]()
    print("ok")
