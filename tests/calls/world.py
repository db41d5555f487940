# SPDX-License-Identifier: Apache-2.0
"""The objects that calls at random work on, the calls, and what must be true of each: the code is one that the function
may return, an object comes with CL_SUCCESS and nothing comes with an error, a first argument that is no object of its
kind is refused as such."""
import ctypes
import random

from . import sequences
from .arguments import OPTIONS, SOURCES, Arguments, read_words
from .memory import Arena, Scratch
from .table import HANDLES, INVALID, SUCCESS, VALUES, error_name

MOST = {"cl_context": 6, "cl_command_queue": 10, "cl_program": 10, "cl_kernel": 16, "cl_device_id": 12}
MOST_OTHERS = 32
RARE = {"clBuildProgram": 0.2, "clCompileProgram": 0.2, "clLinkProgram": 0.2, "clCreateProgramWithBinary": 0.3,
        "clCreateContext": 0.3, "clCreateContextFromType": 0.3, "clGetDeviceInfo": 2, "clSetKernelArg": 3}
AT_HOME = {"cl_context", "cl_command_queue", "cl_mem", "cl_sampler", "cl_program", "cl_kernel", "cl_event"}
RELEASE = {"cl_context": "clReleaseContext", "cl_command_queue": "clReleaseCommandQueue",
           "cl_mem": "clReleaseMemObject", "cl_sampler": "clReleaseSampler", "cl_program": "clReleaseProgram",
           "cl_kernel": "clReleaseKernel", "cl_event": "clReleaseEvent", "cl_device_id": "clReleaseDevice",
           "cl_semaphore_khr": "clReleaseSemaphoreKHR", "cl_command_buffer_khr": "clReleaseCommandBufferKHR",
           "cl_accelerator_intel": "clReleaseAcceleratorINTEL"}
RETAIN = {kind: name.replace("Release", "Retain") for kind, name in RELEASE.items()}
CALLBACKS = {"context_notify_fn": (4, 0), "context_destructor_fn": (2, 0), "program_notify_fn": (2, 0),
             "mem_destructor_fn": (2, 0), "event_notify_fn": (3, 1), "native_kernel_fn": (1, 0), "svm_free_fn": (4, 0)}
COMPLETE = 0


class World:
    """The objects of one thread. `common`: objects that all threads use, which nobody releases before the end."""

    def __init__(self, functions, seed, journal, common=None):
        self.functions, self.rng, self.journal = functions, random.Random(seed), journal
        self.scratch, self.arena, self.errcode = Scratch(), Arena(), ctypes.c_int32()
        self.pools = {kind: [] for kind in sorted(HANDLES)}
        self.refs, self.stale, self.maps, self.svm, self.svm_spare = {}, {}, {}, [], []
        self.home = set()            # what belongs to the first context
        self.unset, self.binaries, self.calls, self.counts, self.codes = [], [], 0, {}, set()
        self.signaled = set()        # semaphores that a wait could be enqueued for
        self.next_launch, self.failures, self.svm_context, self.svm_sent = 64, {}, {}, set()
        self.local_queues = set()    # whose commands run in the caller
        self.usm = set()             # allocations that are none of SVM
        self.common, self.single = common, common is None
        self.callbacks = {kind: callback(kind) for kind in CALLBACKS}
        self.arguments = Arguments(self)
        self.names = sorted(functions)
        weights = [0.1 if functions[n].refuses else 2 if "Enqueue" in n else RARE.get(n, 1) for n in self.names]
        self.totals, total = [], 0
        for weight in weights:
            total += weight
            self.totals.append(total)

    # ---- objects

    def some(self, kind):
        pool = self.pools[kind]
        if not pool:
            return 0
        # Most objects of a call belong together: to the first context.
        chosen = pool[int(self.rng.random() * len(pool))]
        if kind in AT_HOME and chosen not in self.home and self.rng.random() < 0.8:
            return next((handle for handle in reversed(pool) if handle in self.home), chosen)
        return chosen

    def add(self, kind, handle, values, references=1):
        if handle not in self.refs:
            self.pools[kind].append(handle)
            self.refs[handle] = 0
            if (kind == "cl_context" and not self.home) or self.home.intersection(values.values()):
                self.home.add(handle)
        self.refs[handle] += references

    def lose(self, kind, handle):
        """One reference was released."""
        if handle not in self.refs:
            return
        self.refs[handle] -= 1
        if self.refs[handle] == 0:
            del self.refs[handle]
            self.home.discard(handle)
            self.pools[kind].remove(handle)
            self.maps.pop(handle, None)
            self.signaled.discard(handle)
            self.local_queues.discard(handle)
            if self.single:                      # another thread's object may take its place
                self.stale.setdefault(kind, []).append(handle)
                del self.stale[kind][:-8]

    def take_svm(self):
        return self.svm_spare.pop() if self.svm_spare else 0

    # ---- calls

    def step(self):
        """One call at random."""
        self.make_room()
        name = self.rng.choices(self.names, cum_weights=self.totals)[0]
        function = self.functions[name]
        bad = 0.0 if self.rng.random() < 0.65 else 0.2
        values, wrong_first = self.arguments.make(function, bad)
        if function.frees and values[-1] in self.svm_context:
            values[0], wrong_first = self.svm_context[values[-1]], False
        if name == "clReleaseEvent":
            self.before_release(values)
        if self.keeps(function, values):
            return
        if function.may_block or self.waits_itself(function, values):
            self.set_user_events()
        self.call(function, values, wrong_first)

    def keeps(self, function, values):
        """Must this call not be made? What all threads use stays."""
        if function.name.startswith("clRelease") and values:
            return values[0] in self.permanent
        return function.name == "clEnqueueWaitSemaphoresKHR" and not self.would_end(*values[1:3])

    def waits_itself(self, function, values):
        """Commands of some queues run in the thread that enqueues them, which waits for what they wait for."""
        if "Enqueue" not in function.name or not self.local_queues:
            return False
        return values[0] in self.local_queues or function.name == "clEnqueueCommandBufferKHR"

    def would_end(self, n, at):
        """A wait for semaphores: each was signaled. The wait for a signal that never comes would last for ever."""
        semaphores = read_words(at, n) if at and n <= 8 else ()
        return (len(set(semaphores)) == len(semaphores)
                and all(each in self.signaled or each not in self.refs for each in semaphores))

    def before_release(self, values):
        """A user event that commands wait for is set before it goes, or they would wait for ever."""
        if values[0] in self.unset:
            self.unset.remove(values[0])
            self.plain("clSetUserEventStatus", values[0], self.rng.choice((0, -5)))

    def call(self, function, values, wrong_first=False):
        self.calls += 1
        self.journal.note(function, values)
        code = None
        names = [p.name for p in function.params]
        if names and names[-1] == "errcode_ret" and not values[-1]:
            values[-1] = ctypes.addressof(self.errcode)
        result = function.call(*values)
        if function.gives_code:
            code = result
        elif names and names[-1] == "errcode_ret":
            code = ctypes.c_int32.from_address(values[-1]).value
        self.journal.result(result, code)
        self.check(function, result, code, wrong_first)
        if code in (None, SUCCESS):
            self.collect(function, dict(zip(names, values, strict=True)), result or 0)
        return result, code

    def plain(self, name, *values):
        return self.call(self.functions[name], list(values))

    def wrong(self, text):
        """A rule was broken. The calls go on: one run shows several."""
        if text not in self.failures:
            self.failures[text] = self.journal.last()

    def check(self, function, result, code, wrong_first):
        if code is None:
            return
        self.codes.add((function.name, code))
        self.counts[code == SUCCESS] = self.counts.get(code == SUCCESS, 0) + 1
        if not function.permits(code):
            self.wrong(f"{function.name} returned {error_name(code)}, which it must not")
        # A program that does not link comes with an error; memory of no size is no memory.
        free = function.name == "clLinkProgram" or (function.name == "clSVMAllocWithPropertiesKHR" and code == SUCCESS)
        if not function.gives_code and (code == SUCCESS) != bool(result) and not free:
            self.wrong(f"{function.name} returned {result} with {error_name(code)}")
        if wrong_first and function.first_invalid is not None and code != function.first_invalid \
                and not function.name.startswith("clGetPlatform") and function.name != "clGetDeviceIDs":
            self.wrong(f"{function.name} returned {error_name(code)} for a first argument that is none, not "
                        f"{error_name(function.first_invalid)}")

    def collect(self, function, values, result):
        """Keep count of references, mappings and user events."""
        name = function.name
        if function.makes and result:
            self.add(function.makes, result, values)
            if name == "clCreateUserEvent":
                self.unset.append(result)
            elif function.makes == "cl_command_queue":
                self.note_queue(result)
        for at in function.outs:
            param = function.params[at]
            if values[param.name]:
                for handle in filter(None, read_words(values[param.name], 1 if param.name == "event" else 8)):
                    self.add(param.type, handle, values)
        if values.get("mutable_handle"):
            self.pools["cl_mutable_command_khr"] += filter(None, read_words(values["mutable_handle"], 1))
            del self.pools["cl_mutable_command_khr"][:-16]
        if name.startswith("clRetain") and function.params[0].type in RELEASE:
            self.add(function.params[0].type, values[function.params[0].name], values)
        elif name.startswith("clRelease"):
            self.lose(function.params[0].type, values[function.params[0].name])
        elif name == "clSetUserEventStatus" and values["event"] in self.unset:
            self.unset.remove(values["event"])
        elif name in ("clEnqueueMapBuffer", "clEnqueueMapImage"):
            self.maps.setdefault(values.get("buffer") or values["image"], []).append(result)
        elif name == "clEnqueueUnmapMemObject" and values["mapped_ptr"] in self.maps.get(values["memobj"], ()):
            self.maps[values["memobj"]].remove(values["mapped_ptr"])
        elif name == "clEnqueueSignalSemaphoresKHR":
            self.signaled.update(read_words(values["sema_objects"], values["num_sema_objects"]))
        elif name == "clEnqueueWaitSemaphoresKHR":
            self.signaled.difference_update(read_words(values["sema_objects"], values["num_sema_objects"]))
        elif function.allocates and result:
            # Big enough for any transfer: used to the end. The others are freed at some time.
            (self.svm if len(self.svm) < 8 and values["size"] >= 4096 else self.svm_spare).append(result)
            self.svm_context[result] = values["context"]
            (self.usm.add if name.endswith("INTEL") else self.usm.discard)(result)

    def note_queue(self, queue):
        properties = ctypes.c_uint64()
        self.plain("clGetCommandQueueInfo", queue, VALUES["CL_QUEUE_PROPERTIES"], 8, ctypes.addressof(properties), 0)
        if properties.value & VALUES["CL_QUEUE_THREAD_LOCAL_EXEC_ENABLE_INTEL"]:
            self.local_queues.add(queue)

    # ---- housekeeping

    def set_user_events(self):
        """Before a call that may wait for them."""
        for event in list(self.unset):
            self.plain("clSetUserEventStatus", event, self.rng.choice((COMPLETE, COMPLETE, -5)))
        self.unset.clear()

    def make_room(self):
        for kind, pool in self.pools.items():
            if len(pool) > MOST.get(kind, MOST_OTHERS) and kind in RELEASE:
                self.release(kind, pool[self.rng.randrange(1, len(pool))])
        while len(self.svm_spare) > 16:
            self.free_svm(self.svm_spare.pop())
        if self.calls >= self.next_launch:
            self.next_launch = self.calls + 64
            (self.link if self.rng.random() < 0.2 else self.launch)()

    def free_svm(self, pointer):
        """The allocation keeps its context alive, whoever else let go of it. Freed already, by a command: no harm."""
        self.plain("clMemFreeINTEL" if pointer in self.usm else "clSVMFree", self.svm_context[pointer], pointer)

    def release(self, kind, handle):
        """All references of the application."""
        if handle in self.permanent:
            return
        self.before_release([handle])
        while handle in self.refs:
            if self.plain(RELEASE[kind], handle)[1] != SUCCESS:
                self.wrong(f"{RELEASE[kind]} refuses an object that is referenced")
                self.lose(kind, handle)

    def begin(self):
        """A platform, its devices, and one of each object that others are made from."""
        self.permanent = set()
        room = self.scratch.room(512)
        self.plain("clGetPlatformIDs", 1, room, 0)
        self.pools["cl_platform_id"] = read_words(room, 1)
        room = self.scratch.room(512)
        self.plain("clGetDeviceIDs", self.pools["cl_platform_id"][0], 0xffffffff, 8, room, 0)
        self.root_devices = [d for d in read_words(room, 8) if d]
        self.pools["cl_device_id"] = list(self.root_devices)
        self.permanent |= {*self.root_devices, *self.pools["cl_platform_id"]}
        if self.common is not None:
            for kind, handles in self.common.items():
                for handle in handles:
                    self.plain(RETAIN[kind], handle)
        self.basics()
        self.permanent.add(self.pools["cl_context"][0])
        self.make_binaries()

    def basics(self):
        """Whatever is missing of what a launch needs."""
        self.scratch.reset()
        device = self.root_devices[0]
        if not self.pools["cl_context"]:
            self.plain("clCreateContext", 0, 1, self.scratch.words([device]), 0, 0, 0)
        context = self.pools["cl_context"][0]
        if len(self.pools["cl_command_queue"]) < 2:
            for properties in (0, 3):
                self.plain("clCreateCommandQueue", context, device, properties, 0)
        if not self.pools["cl_mem"]:
            self.plain("clCreateBuffer", context, 1, 4096, 0, 0)
        if not self.svm:
            self.plain("clSVMAlloc", context, 1, 1 << 15, 0)
        return context, device

    def make_program(self, source, options):
        context, _ = self.basics()
        self.scratch.reset()
        program = self.call(self.functions["clCreateProgramWithSource"],
                            [context, 1, self.scratch.words([self.scratch.data(source + b"\0")]), 0, 0])[0]
        if options is None:
            return program
        self.scratch.reset()
        self.call(self.functions["clBuildProgram"], [program, 0, 0, self.scratch.data(options + b"\0"), 0, 0])
        return program

    def make_binaries(self):
        """A good one, the same cut short and with a byte changed, and one that is none."""
        program = self.make_program(SOURCES[0], OPTIONS[0])
        size = ctypes.c_size_t()
        self.plain("clGetProgramInfo", program, VALUES["CL_PROGRAM_BINARY_SIZES"], 8, ctypes.addressof(size), 0)
        good = ctypes.create_string_buffer(size.value)
        pointer = ctypes.c_void_p(ctypes.addressof(good))
        self.plain("clGetProgramInfo", program, VALUES["CL_PROGRAM_BINARIES"], 8, ctypes.addressof(pointer), 0)
        changed = ctypes.create_string_buffer(good.raw, size.value)
        changed[size.value // 2] = bytes([changed.raw[size.value // 2] ^ 255])
        self.kept = good, changed
        self.binaries = [(ctypes.addressof(good), size.value), (ctypes.addressof(good), size.value // 2),
                         (ctypes.addressof(changed), size.value), (self.arena.start, 100), (self.arena.start, 0)]

    def launch(self):
        """A kernel with all its arguments, now and then, so that commands have something to wait for."""
        self.basics()
        program = self.make_program(SOURCES[0], OPTIONS[0])
        self.scratch.reset()
        kernel, code = self.call(self.functions["clCreateKernel"], [program, self.scratch.data(b"k\0"), 0])
        if code != SUCCESS:
            self.wrong(f"clCreateKernel gives {error_name(code)} for a program that was built")
        mem = self.some("cl_mem")
        for index, size, value in ((0, 8, mem), (1, 4, 5), (2, 256, None), (3, 8, mem)):
            self.scratch.reset()
            self.call(self.functions["clSetKernelArg"],
                      [kernel, index, size, 0 if value is None else self.scratch.words([value])])
        queue = self.some("cl_command_queue")
        self.scratch.reset()
        self.call(self.functions["clEnqueueNDRangeKernel"],
                  [queue, kernel, 1, 0, self.scratch.words([16]), 0, 0, 0, self.scratch.room(64)])
        if "clCreateCommandBufferKHR" in self.functions and self.rng.random() < 0.5:
            self.record(queue, kernel)
        sequences.of_vendors(self, queue, kernel)

    def record(self, queue, kernel):
        """A command buffer whose launch may be changed; it stays open or is finalized."""
        self.scratch.reset()
        properties = [VALUES["CL_COMMAND_BUFFER_FLAGS_KHR"], VALUES["CL_COMMAND_BUFFER_MUTABLE_KHR"], 0]
        buffer, code = self.call(self.functions["clCreateCommandBufferKHR"],
                                 [1, self.scratch.words([queue]), self.scratch.words(properties), 0])
        if code != SUCCESS:
            return
        fields = self.scratch.words([VALUES["CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR"], 31, 0])
        self.call(self.functions["clCommandNDRangeKernelKHR"],
                  [buffer, 0, fields, kernel, 1, 0, self.scratch.words([16]), 0, 0, 0, 0, self.scratch.room(64)])
        if self.rng.random() < 0.5:
            self.plain("clFinalizeCommandBufferKHR", buffer)

    def link(self):
        """A program that was compiled, and one linked from it."""
        context, _ = self.basics()
        program = self.make_program(SOURCES[2], None)
        self.scratch.reset()
        self.call(self.functions["clCompileProgram"],
                  [program, 0, 0, self.scratch.data(b"\0"), 0, 0, 0, self.callbacks["program_notify_fn"], 1])
        self.scratch.reset()
        self.call(self.functions["clLinkProgram"],
                  [context, 0, 0, self.scratch.data(b"-create-library\0"), 1, self.scratch.words([program]), 0, 0, 0])

    def end(self):
        """Everything is waited for and released."""
        self.set_user_events()
        for queue in list(self.pools["cl_command_queue"]):
            self.plain("clFinish", queue)
        self.permanent = set(self.root_devices)
        for kind in sorted(RELEASE, key=["cl_device_id", "cl_context", "cl_command_queue"].__contains__):
            for handle in [h for h in self.pools[kind] if h in self.refs]:
                self.release(kind, handle)

    def end_memory(self):
        """What commands may have used, those of released queues too: after the last of them."""
        for pointer in {*self.svm, *self.svm_spare, *self.svm_sent}:
            self.free_svm(pointer)


def callback(kind):
    """A C function of the program. It must not be collected while the library may call it."""
    count, status_at = CALLBACKS[kind]
    types = [ctypes.c_int32 if status_at and i == status_at else ctypes.c_void_p for i in range(count)]
    function = ctypes.CFUNCTYPE(None, *types)(lambda *values: SEEN.append(kind))
    KEPT.append(function)
    return ctypes.cast(function, ctypes.c_void_p).value


KEPT, SEEN = [], []
__all__ = ["INVALID", "SEEN", "World"]
