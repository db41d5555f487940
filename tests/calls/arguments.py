# SPDX-License-Identifier: Apache-2.0
"""Arguments at random, by the type and the name of a parameter: mostly what the specification allows, in a part of the
calls anything else that does not make the program itself wrong. Memory is always as large as the call is told, so sizes
are small or so big that they must be refused."""
from .choices import BY_PROPERTY, FILES, FLAGS, LISTED, ONE_WORD, ORDERS, PROPERTY_VALUES, TYPED, TYPES, YUV
from .memory import read_words
from .table import NUMBERS, VALUES

HUGE = (1 << 46, 1 << 62, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)
LAST_NAME = (1 << 64) - 1            # of a list of compute units
SIZES = (0, 1, 2, 4, 8, 16, 64, 128, 1000, 4096, 16384)
SOURCES = [b"kernel void k(global uchar *a, int n, local int *l, constant int *c) { if (a) a[0] = 7; l[0] = n; }\n"
           b"kernel void none(void) {}\n",
           b"kernel void k(int a, float b, char16 c) { }", b"int helper(int a) { return a + 1; }",
           b"int helper(int a);\nkernel void k(int a) { helper(a); }", b"#include \"h.h\"\nkernel void k(int a) { }",
           b"kernel void k(", b"", b"kernel void k(read_only image2d_t i, sampler_t s) { }",
           b"kernel __attribute__((reqd_work_group_size(4, 1, 1))) void k(int a) { barrier(0); }\n"]
OPTIONS = [b"", b"", b"", b"-cl-kernel-arg-info", b"-D X=1", b"-cl-std=CL2.0", b"-cl-opt-disable", b"-w -Werror",
           b"-create-library", b"-create-library -enable-link-options", b"-nonsense", b"-D", b"-cl-std=CL9",
           b"\xff\xfe"]
KERNEL_NAMES = [b"k", b"k", b"k", b"none", b"helper", b"", b"nothing", b"k;k", b"\xff",
                b"block_motion_estimate_intel"]
HEADERS = [b"h.h", b"other.h", b"a/b.h", b""]


class Arguments:
    """Makes the arguments of one call. `bad` is the chance of each argument to be anything at all."""

    def __init__(self, world):
        self.world, self.rng, self.scratch, self.arena = world, world.rng, world.scratch, world.arena
        self.by_name = {name[3:]: getattr(self, name) for name in dir(self) if name.startswith("by_")}

    def make(self, function, bad):
        """(the values, whether the first one is a handle that is none)"""
        self.scratch.reset()
        self.function, self.bad, self.values = function, bad, {}
        wrong_first = False
        for index, param in enumerate(function.params):
            if param.is_handle:
                value, wrong = self.handle(param.type)
                wrong_first |= wrong and index == 0
            else:
                value = self.value(param)
            self.values[param.name] = value
        return list(self.values.values()), wrong_first

    def spoil(self):
        return self.bad and self.rng.random() < self.bad

    def handle(self, kind):
        if kind == "cl_command_queue" and self.function.records:
            return 0, False      # the only queue of the command buffer
        if self.spoil():
            return self.wrong_handle(kind)
        return self.world.some(kind), False

    def wrong_handle(self, kind):
        """NULL, an object of another kind, a released one, any number."""
        rng, world = self.rng, self.world
        choice = rng.randrange(4)
        if choice == 1:
            other = world.some(rng.choice([k for k in sorted(world.pools) if k != kind]))
            return other, True
        if choice == 2 and world.stale.get(kind):
            return rng.choice(world.stale[kind]), False      # may be a new object's by now
        if choice == 3:
            near = world.some(kind)
            return rng.choice((1, 8, 64, near + 8, near + 1, (1 << 64) - 8, world.arena.start)), True
        return 0, True

    # ---- by type

    def value(self, param):
        name, kind = param.name, param.type
        if name in self.by_name and not (param.points and not param.const and kind in NUMBERS and kind != "void"):
            return self.by_name[name](param)
        if kind.endswith("_fn"):
            return 0 if self.rng.random() < 0.3 else self.world.callbacks[kind]
        if param.handles_in:
            return self.handle_list(kind)
        if kind in LISTED and param.points:
            return self.property_list(kind)
        if param.points:
            return self.pointer(param)
        if kind in TYPED:
            return self.typed(kind)
        if name == "param_name":
            return self.rng.choice(self.function.queries) if self.function.queries and not self.spoil() else \
                self.any_number()
        return self.number(param)

    def typed(self, kind):
        rng = self.rng
        if self.spoil():
            return self.any_number()
        value = rng.choice(TYPED[kind])
        if kind in FLAGS:
            value = rng.choice((0, value, value, value | rng.choice(TYPED[kind])))
            if kind == "cl_device_type" and rng.random() < 0.5:
                value = VALUES["CL_DEVICE_TYPE_ALL"]
        return value

    def any_number(self):
        return self.rng.choice((0, 1, 2, 3, 7, 0x7fff, 0xffffffff, self.rng.getrandbits(32), *HUGE))

    def number(self, param):
        if param.type == "size_t":
            return self.extent()
        if param.type == "cl_bool":
            return self.rng.choice((0, 1)) if not self.spoil() else 7
        if self.spoil():
            return self.any_number()
        return self.rng.choice((0, 1, 2, 3, 4, 16))

    def extent(self):
        return self.rng.choice(HUGE) if self.spoil() else self.rng.choice(SIZES)

    def pointer(self, param):
        """To zeros or to room for an answer; NULL where it is left out."""
        if param.handles_out and param.name == "event":
            return 0 if self.rng.random() < 0.4 else self.scratch.room(64)
        if self.spoil() or (not param.const and self.rng.random() < 0.2):
            return 0
        return self.scratch.room(4096)

    def property_list(self, kind):
        rng, out = self.rng, []
        if rng.random() < 0.4:
            return 0
        if kind == "cl_semaphore_properties_khr" and not self.spoil():
            out += [VALUES["CL_SEMAPHORE_TYPE_KHR"], VALUES["CL_SEMAPHORE_TYPE_BINARY_KHR"]]
        for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
            key = rng.choice(LISTED[kind]) if not self.spoil() else self.any_number()
            choices = BY_PROPERTY.get(key, PROPERTY_VALUES.get(kind, ()))
            value = rng.choice(choices) if choices and not self.spoil() else rng.choice((0, 1, 2, 8, 4096, 1 << 40))
            if isinstance(value, str):
                value = self.world.some(value)
            # A number that is an open file must not be handed over: the callee would close it.
            out += [key, (1 << 30 if key in FILES else value)]
            if kind in ("cl_mem_properties", "cl_device_partition_property", "cl_semaphore_properties_khr"):
                out += rng.choice(([], [0], [1, 0], [LAST_NAME, 0]))
        return self.scratch.words([*out, 0, 0, 0, 0])

    # ---- lists: their count comes before them

    def count(self, param):
        if self.spoil():
            return self.rng.choice((1, 5, 8, 0xffffffff, 1 << 31))
        return self.rng.choice((0, 0, 1, 1, 2, 3))

    def last_count(self):
        numbers = [v for n, v in self.values.items() if n.startswith(("num_", "count")) or n == "num_events"]
        return numbers[-1] if numbers else 1

    def handle_list(self, kind):
        count = self.last_count()
        if count > 8 or (count == 0) != self.spoil():
            return 0
        return self.scratch.words([self.handle(kind)[0] for _ in range(max(count, 1))])

    by_num_events_in_wait_list = by_num_events = by_num_devices = by_num_mem_objects = by_num_input_headers = count
    by_num_input_programs = by_num_svm_pointers = by_count = by_num_queues = by_num_sync_points_in_wait_list = count

    def by_num_entries(self, param):
        return self.rng.choice((0, 1, 8)) if not self.spoil() else 0xffffffff

    by_num_kernels = by_num_entries

    def by_sync_point_wait_list(self, param):
        count = self.last_count()
        if count > 8 or (count == 0) != self.spoil():
            return 0
        return self.scratch.words([self.rng.choice((1, 2, 3, 4, 9, 0)) for _ in range(8)], 32)

    def by_num_configs(self, param):
        return self.rng.choice((1, 1, 2)) if not self.spoil() else 0

    def by_config_types(self, param):
        return self.scratch.words([0] * 8, 32) if not self.spoil() else 0

    def by_configs(self, param):
        """What to change of recorded launches: arguments and sizes, or nothing."""
        out = []
        for _ in range(2):
            command = self.handle("cl_mutable_command_khr")[0]
            n_args, pointer = self.rng.choice((0, 1)), self.scratch.words([self.some_arg()] + [0] * 16)
            args = self.scratch.words([self.rng.choice((0, 1, 2, 3, 9)), self.rng.choice((4, 8, 64)), pointer])
            sizes = [self.triple((1, 2, 8), huge=False) if self.rng.random() < 0.3 else 0 for _ in range(3)]
            dimensions = self.rng.choice((0, 1, 1))
            out.append(self.scratch.words([command, n_args, dimensions << 32, args * n_args, 0, 0, *sizes]))
        return self.scratch.words(out) if not self.spoil() else 0

    def some_arg(self):
        return self.handle("cl_mem")[0] if self.rng.random() < 0.6 else self.rng.getrandbits(32)

    # ---- text

    def text(self, choices):
        return 0 if self.spoil() else self.scratch.data(self.rng.choice(choices) + b"\0")

    def by_options(self, param):
        return 0 if self.rng.random() < 0.3 else self.text(OPTIONS)

    def by_kernel_name(self, param):
        return self.text(KERNEL_NAMES)

    by_kernel_names = by_kernel_name

    def by_pipe_symbol(self, param):
        return self.text([b"pipe", b"pipe", b"pipe", b"other", b""])

    def blocking_pipe(self, param):
        """Never of what may be empty, or full, for ever."""
        return 0 if "HostPipe" in self.function.name else self.number(param)

    by_blocking_read = by_blocking_write = blocking_pipe

    def by_func_name(self, param):
        return self.text([b"clCreateContext", b"clGetKernelSuggestedLocalWorkSizeKHR", b"clNothing", b""])

    def texts(self, choices):
        count = self.last_count()
        if count > 8 or (count == 0) != self.spoil():
            return 0
        return self.scratch.words([self.text(choices) for _ in range(max(count, 1))])

    def by_strings(self, param):
        return self.texts(SOURCES)

    def by_header_include_names(self, param):
        return self.texts(HEADERS)

    def by_lengths(self, param):
        if self.function.name == "clCreateProgramWithBinary":
            self.binaries = [self.rng.choice(self.world.binaries) for _ in range(8)]
            return 0 if self.spoil() else self.scratch.words([size for _, size in self.binaries])
        return 0 if self.rng.random() < 0.7 else self.scratch.words([0] * 8)

    def by_binaries(self, param):
        if self.spoil():
            return 0
        return self.scratch.words([address if not self.spoil() else 0 for address, _ in self.binaries])

    # ---- memory

    def by_host_ptr(self, param):
        return 0 if self.rng.random() < 0.5 else self.arena.place(self.rng)

    def by_ptr(self, param):
        if self.function.frees:
            pointer = self.world.take_svm()
            self.world.svm_sent.update({pointer} - {0})      # a call that fails leaves it
            return pointer or (self.arena.place(self.rng) if self.spoil() else 0)
        if self.function.queries or "Migrate" in self.function.name or "Advise" in self.function.name:
            return self.svm()
        return 0 if self.spoil() else self.arena.place(self.rng)

    def svm(self):
        return self.rng.choice((*self.world.svm, self.arena.place(self.rng))) if not self.spoil() else 0

    def by_dst_ptr(self, param):
        return self.svm()

    by_src_ptr = by_svm_ptr = by_dst_ptr

    def by_size(self, param):
        if not self.function.allocates and ("SVM" in self.function.name or "dst_ptr" in self.values):
            return self.rng.choice(SIZES[:-2])       # any memory of the host is the device's: nothing can be refused
        return self.extent()

    def by_svm_pointer(self, param):
        return self.by_ptr(param) if self.rng.random() < 0.7 else 0

    def by_svm_pointers(self, param):
        count = self.last_count()
        if count > 8 or (count == 0) != self.spoil():
            return 0
        if self.function.name == "clEnqueueSVMFree":
            # Without a callback the command frees them: once, and none that other commands use.
            pointers = [self.world.take_svm() if self.rng.random() < 0.8 else 0 for _ in range(max(count, 1))]
            self.world.svm_sent.update(pointers)
            self.world.svm_sent.discard(0)
            return self.scratch.words(pointers)
        return self.scratch.words([self.svm() for _ in range(max(count, 1))])

    def by_value(self, param):
        return 0                 # of a signal to wait for: nobody writes a larger one

    def by_bus_addresses(self, param):
        return 0 if self.spoil() or self.last_count() > 8 else self.scratch.words([0] * 16)

    def by_pfn_free_func(self, param):
        return 0

    def by_sizes(self, param):
        return 0 if self.rng.random() < 0.5 else self.scratch.words([self.rng.choice(SIZES[:6]) for _ in range(8)])

    def by_mapped_ptr(self, param):
        mine = self.world.maps.get(self.values["memobj"])
        if mine and not self.spoil():
            return self.rng.choice(mine)
        return self.arena.place(self.rng)

    def by_user_data(self, param):
        return self.rng.getrandbits(32)

    def by_pattern_size(self, param):
        if self.spoil():
            return self.rng.choice((0, 3, 256, *HUGE))
        return self.rng.choice((1, 2, 4, 8, 16, 32, 64, 128))

    def by_param_value_size(self, param):
        if self.values.get("param_name") in ONE_WORD and not self.spoil():
            return 4
        return self.rng.choice((0, 1, 4, 8, 16, 64, 1024, 2048)) if not self.spoil() else self.rng.choice((3, *HUGE))

    def by_param_value(self, param):
        if self.rng.random() < 0.3:
            return 0
        if self.values["param_name"] in ONE_WORD and self.values["param_value_size"] == 4:
            return self.scratch.words([self.rng.choice((0, 1, 1, 2))], 32)
        if self.function.name == "clSetKernelExecInfo":
            # the pointers are read as far as the size says
            return self.scratch.words([self.svm() for _ in range(256)]) if self.values["param_value_size"] < 4096 else 0
        return self.scratch.room(4096)               # zeros: clGetProgramInfo writes through pointers that are not NULL

    def by_input_value(self, param):
        return 0 if self.spoil() else self.scratch.words([self.rng.choice((1, 2, 64, 3)) for _ in range(4)])

    def by_input_value_size(self, param):
        return self.rng.choice((8, 16, 24)) if not self.spoil() else self.rng.choice((0, 4, 7, *HUGE))

    def by_buffer_create_info(self, param):
        return 0 if self.spoil() else self.scratch.words([self.rng.choice((0, 0, 128, 4096, 1)), self.extent()])

    # ---- places

    def triple(self, choices, huge=True, more=()):
        return self.scratch.words([*(self.rng.choice(HUGE) if huge and self.spoil() else self.rng.choice(choices)
                                     for _ in range(3)), *more])

    def by_region(self, param):
        return 0 if self.spoil() else self.triple((1, 1, 2, 4, 16, 0))

    def by_origin(self, param):
        """The fourth is the level of an image with three coordinates; others have it before."""
        return 0 if self.spoil() else self.triple((0, 0, 0, 1, 4), more=[self.rng.choice((0, 0, 1, 2, 40))])

    by_buffer_origin = by_src_origin = by_dst_origin = by_origin

    def by_host_origin(self, param):
        return 0 if self.spoil() else self.triple((0, 0, 1, 4), huge=False)     # nothing says how much memory there is

    def by_host_row_pitch(self, param):
        return self.rng.choice((0, 0, 16, 64, 1))

    def by_host_slice_pitch(self, param):
        return self.rng.choice((0, 0, 256, 1024, 4096, 1))

    by_row_pitch = by_input_row_pitch = by_image_row_pitch = by_host_row_pitch
    by_slice_pitch = by_input_slice_pitch = by_image_slice_pitch = by_host_slice_pitch

    def by_buffer_row_pitch(self, param):
        return self.rng.choice((0, 0, 16, 64, 1)) if not self.spoil() else self.rng.choice(HUGE)

    by_buffer_slice_pitch = by_src_row_pitch = by_src_slice_pitch = by_buffer_row_pitch
    by_dst_row_pitch = by_dst_slice_pitch = by_buffer_row_pitch

    def by_global_work_size(self, param):
        return 0 if self.spoil() else self.triple((1, 1, 2, 8, 30, 0), huge=False)      # a big one would run for days

    def by_local_work_size(self, param):
        return 0 if self.rng.random() < 0.5 else self.triple((1, 1, 2, 4, 0))

    def by_global_work_offset(self, param):
        return 0 if self.rng.random() < 0.6 else self.triple((0, 1, 100))

    def by_work_dim(self, param):
        return self.rng.choice((1, 1, 2, 3)) if not self.spoil() else self.rng.choice((0, 4, 0xffffffff))

    # ---- images

    def dimension(self):
        return self.rng.choice((1, 2, 7, 16)) if not self.spoil() else self.rng.choice((0, 1 << 20, *HUGE))

    def by_image_width(self, param):
        return self.dimension()

    by_image_height = by_image_depth = by_image_width

    def by_image_format(self, param):
        if self.spoil():
            return 0
        order, kind = self.rng.choice(ORDERS), self.rng.choice(TYPES)
        if self.rng.random() < 0.6:
            order, kind = VALUES["CL_RGBA"], VALUES["CL_UNORM_INT8"]
        if order in YUV:
            kind = VALUES["CL_UNORM_INT8"]
        return self.scratch.words([order, kind if not self.spoil() else self.any_number()], 32)

    def by_image_desc(self, param):
        if self.spoil():
            return 0
        rng = self.rng
        kind = rng.choice(TYPED["cl_mem_object_type"])
        mem = self.handle("cl_mem")[0] if rng.random() < 0.3 else 0
        levels = rng.choice((0, 0, 0, 0, 1, 2, 3, 32)) if not self.spoil() else rng.choice((33, 0xffffffff, 1 << 32))
        return self.scratch.words([kind, self.dimension(), self.dimension(), self.dimension(), rng.choice((0, 1, 3)),
                                   self.by_host_row_pitch(None), self.by_host_slice_pitch(None), levels, mem])

    def by_fill_color(self, param):
        return 0 if self.spoil() else self.scratch.words([self.rng.getrandbits(64), self.rng.getrandbits(64)])

    # ---- kernels

    def by_arg_index(self, param):
        return self.rng.choice((0, 0, 1, 2, 3)) if not self.spoil() else self.rng.choice((4, 1000, 0xffffffff))

    def by_arg_size(self, param):
        return self.rng.choice((8, 8, 4, 16, 64)) if not self.spoil() else self.rng.choice((0, 1, 3, *HUGE))

    def by_arg_value(self, param):
        rng = self.rng
        if param.type == "cl_ulong" or self.function.name.endswith(("Pointer", "PointerINTEL")):
            return self.svm()
        if rng.random() < 0.2:
            return 0
        kind = rng.choice(("cl_mem", "cl_mem", "cl_sampler", "cl_command_queue", "cl_accelerator_intel"))
        return self.scratch.words([self.handle(kind)[0] if rng.random() < 0.8 else rng.getrandbits(32)] + [0] * 16)

    def by_accelerator_type(self, param):
        return 0 if not self.spoil() else self.any_number()

    def by_descriptor_size(self, param):
        return 16 if not self.spoil() else self.rng.choice((0, 15, 17, *HUGE))

    def by_descriptor(self, param):
        return 0 if self.spoil() else self.scratch.words([self.rng.choice((0, 1, 1, 2, 3)) for _ in range(4)], 32)

    def by_args(self, param):
        return 0 if self.rng.random() < 0.3 else self.scratch.room(256)

    def by_cb_args(self, param):
        return self.rng.choice((0, 8, 64, 256)) if self.values["args"] else self.rng.choice((0, 0, 0, 8))

    def by_args_mem_loc(self, param):
        if self.last_count() > 8 or self.spoil():
            return 0
        return self.scratch.words([self.values["args"] + 8 * i for i in range(8)])

    # ---- programs and events

    def by_il(self, param):
        words = [0x07230203, 0x00010000, 0, 100, 0] if self.rng.random() < 0.7 else [0xdeadbeef]
        words += [self.rng.getrandbits(32) for _ in range(self.rng.randrange(20))]
        return 0 if self.spoil() else self.scratch.words(words, 32)

    def by_length(self, param):
        return self.rng.choice((0, 1, 3, 4, 20, 24, 64))

    def by_execution_status(self, param):
        return self.rng.choice((0, 0, -1, -9999)) if not self.spoil() else self.rng.choice((1, 2, 3, 77))

    def by_command_exec_callback_type(self, param):
        return self.rng.choice((0, 0, 1, 2)) if not self.spoil() else self.rng.choice((3, 77, -1))


__all__ = ["OPTIONS", "SOURCES", "Arguments", "read_words"]
