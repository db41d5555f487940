# SPDX-License-Identifier: Apache-2.0
"""Counters of launches on models of GPUs, for programs that use pyopencl or another binding:

    import clpy.profile
    queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    event = program.multiply(queue, (n, n), (16, 16), a, b, c)
    launch = clpy.profile.launch(event)
    print(launch.ns, launch.counters["VALUBusy"], launch.counters["LDSBankConflict"])
    print(launch.table())

docs/gpu.md says what the counters are. Takes nothing of clpy into the program but this file.
"""
import ctypes
import json

LAUNCH_COUNTERS = 0x434C5001     # CL_PROFILING_LAUNCH_COUNTERS_CLPY
PROFILING_INFO = 45              # place of clGetEventProfilingInfo in the table that each object begins with
NOT_AVAILABLE = -7


class NotCounted(RuntimeError):
    """There are no counters of an event; the text says why."""


class Launch:
    """Of one kernel: `kernel` and `device` by name, `global_size`, `local_size`, `ns` on the device's clock,
    `uncertainty` of it (None: it is by formula), `counters` by CodeXL's names, `lines`: a dict for each line. `launch`:
    which of its queue it was, from 1 on; `sampled_launch`: of which the sample is that its times are from, itself or
    one before that was like it (each None in a queue out of order, the latter also where nothing was followed)."""

    def __init__(self, told):
        self.kernel = told["kernel"]
        self.device = told["device"]
        self.global_size = tuple(told["global_size"])
        self.local_size = tuple(told["local_size"])
        self.ns = told["ns"]
        self.uncertainty = told["uncertainty"]
        self.launch = told["launch"]
        self.sampled_launch = told["sampled_launch"]
        self.counters = told["counters"]
        self.lines = told["lines"]

    def __repr__(self):
        return f"<launch of {self.kernel} on {self.device}: {self.ns / 1000:.1f} us>"

    def table(self, source=""):
        """The lines as text, beside those of the source where it is given."""
        return table(self.lines, source)


def launch(event):
    """The Launch of an event, which is waited for. `event`: pyopencl's, or an address of a cl_event. NotCounted where
    its queue does not profile, or it is no kernel on a model."""
    if hasattr(event, "wait"):
        event.wait()
    return Launch(json.loads(text_of(getattr(event, "int_ptr", event))))


def launches(events):
    """Those of several events, in order; the ones of other commands are left out."""
    found = []
    for event in events:
        try:
            found.append(launch(event))
        except NotCounted:
            continue
    return found


def counters(event):
    """Name -> value."""
    return launch(event).counters


def text_of(handle):
    """What the event answers. It begins with its platform's functions, whichever loader the program has."""
    functions = ctypes.cast(ctypes.c_void_p(handle), ctypes.POINTER(ctypes.c_void_p))[0]
    ask = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_size_t, ctypes.c_void_p,
                           ctypes.POINTER(ctypes.c_size_t))(
        ctypes.cast(ctypes.c_void_p(functions), ctypes.POINTER(ctypes.c_void_p))[PROFILING_INFO])
    size = ctypes.c_size_t()
    check(ask(handle, LAUNCH_COUNTERS, 0, None, ctypes.byref(size)))
    text = ctypes.create_string_buffer(size.value)
    check(ask(handle, LAUNCH_COUNTERS, size.value, text, None))
    return text.value.decode()


def check(code):
    if code == NOT_AVAILABLE:
        raise NotCounted("no counters: the event has to be of a kernel on the model of a GPU, complete, and its queue "
                         "has to profile (PROFILING_ENABLE)")
    if code:
        raise NotCounted(f"no counters: the platform answers {code}; is the event clpy's?")


def cell(value):
    if value is None:
        return "-"
    return f"{value:.1f}" if isinstance(value, float) else str(value)


def table(lines, source=""):
    """A row for each line: what it executed, and which cycles of its wavefronts it cost; the largest reason first."""
    texts = source.splitlines()
    rows = [["line", "instructions", "active %", "lines/access", "conflicts", "exposed cycles", "by"]]
    for line in lines:
        known = line.get("exposed_cycles")
        exposed = sorted((known or {}).items(), key=lambda pair: -pair[1])
        number = line["line"]
        rows.append([str(number or "-"), cell(line["instructions"]), cell(line["active"]),
                     cell(line.get("lines_per_access")), cell(line.get("conflict_cycles")),
                     "-" if known is None else str(sum(known.values())), ", ".join(name for name, _ in exposed[:2])
                     + (f"  | {texts[number - 1].rstrip()}" if 0 < number <= len(texts) else "")])
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(value.ljust(width) if i == len(row) - 1 else value.rjust(width)
                               for i, (value, width) in enumerate(zip(row, widths))).rstrip()
                     for row in rows)
