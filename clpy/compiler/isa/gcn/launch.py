# SPDX-License-Identifier: Apache-2.0
"""`__clpy_kernel.NAME` of a translated kernel: its facts as data, and a call of the library, which runs the groups
(library/launch.c has the structs).
"""
from clpy.abi_layout import ARG_IMAGE, ARG_SAMPLER, KERNEL_PREFIX
from clpy.llvm.ir import Builder, Types, add_function, add_global, const_array, const_packed, get_function

from . import modes

HIDDEN = {"block_count": 0, "group_size": 1, "remainder": 2, "global_offset": 3, "grid_dims": 4, "private_base": 5,
          "shared_base": 6, "printf_buffer": 7, "queue_ptr": 8, "dynamic_lds_size": 9,
          "global_size": 10, "image_base": 11, "group_count": 12, "local_size": 13, "buffer_offset": 14}
AXES = {"x": 0, "y": 1, "z": 2}
FLAGS = ("private_segment_buffer", "dispatch_ptr", "queue_ptr", "kernarg_segment_ptr", "dispatch_id",
         "flat_scratch_init", "private_segment_size")
GROUP_IDS = ("workgroup_id_x", "workgroup_id_y", "workgroup_id_z", "workgroup_info")
WAVE_ALIGN = 64
POINTER = 8                 # bytes
NOWHERE = (1 << 32) - 1
SCRATCH_UNIT = 1024
BEFORE = 28                 # Gen: places in a buffer are counted from 1 << BEFORE bytes before it, as some lie there
DESCRIPTOR = 64             # bytes of what stands for an image or a sampler


def hidden_rows(kernel):
    for row in kernel.hidden:
        stem, _, axis = row.kind.rpartition("_")
        if axis in AXES and stem in HIDDEN:
            yield HIDDEN[stem], AXES[axis], row.offset, row.size
        elif row.kind in HIDDEN:
            yield HIDDEN[row.kind], BEFORE if row.kind == "buffer_offset" else 0, row.offset, row.size


def scratch_room(kernel):
    """Bytes of a wavefront's scratch memory. A Gen thread's begins at a multiple of its unit (library/launch.c)."""
    return WAVE_ALIGN * kernel.scratch_bytes + (SCRATCH_UNIT if getattr(kernel, "payload_bytes", 0) else 0)


class Wrapper:
    def __init__(self, module, kernel, image, flushes, suffix=""):
        self.module, self.kernel, self.image, self.flushes, self.suffix = module, kernel, image, flushes, suffix
        self.types = Types(module)
        self.b = Builder(module)
        opaque = sum(copy.kind in (ARG_IMAGE, ARG_SAMPLER) for copy in kernel.copies)
        self.descriptors = -(-kernel.kernarg_bytes // WAVE_ALIGN) * WAVE_ALIGN if opaque else kernel.kernarg_bytes
        self.all_bytes = self.descriptors + DESCRIPTOR * opaque

    def words(self, name, rows):
        """A constant table of 32-bit numbers."""
        t = self.types
        numbers = [t.i32.const(number) for row in rows for number in row]
        place = add_global(self.module, f"{name}.{self.kernel.name}", t.array(t.i32, max(len(numbers), 1)))
        place.initializer = const_array(t.i32, numbers or [t.i32.const(0)])
        place.set_internal()
        return place

    def facts(self, wave_bytes, scratch_offset, suspends):
        """The kernel_facts of library/launch.c."""
        k, t = self.kernel, self.types
        numbers = self.numbers(wave_bytes, scratch_offset, suspends)
        parts = const_packed(self.module, [
            const_array(t.i32, [t.i32.const(number) for number in (*numbers, *[0] * (len(numbers) % 2))]),
            self.words("copies", [(c.kind, c.block, c.kernarg, c.size, c.image) for c in k.copies]),
            self.words("hidden", hidden_rows(k)), self.image])
        place = add_global(self.module, f"facts.{k.name}", parts.type)
        place.initializer = parts
        place.align = POINTER
        place.set_internal()
        return place

    def numbers(self, wave_bytes, scratch_offset, suspends):
        k, d = self.kernel, self.kernel.descriptor
        return [k.kernarg_bytes, k.lds_bytes, k.scratch_bytes, wave_bytes, scratch_offset, int(suspends),
                *(d[f"enable_sgpr_{name}"] for name in FLAGS), d["user_sgpr_count"],
                *(d[f"enable_sgpr_{name}"] for name in GROUP_IDS), d["enable_private_segment"],
                d["enable_vgpr_workitem_id"], self.descriptors, self.all_bytes, k.windows, k.window_bits,
                k.image_window, *self.of_thread(), len(k.copies), len(list(hidden_rows(k)))]

    def of_thread(self):
        """Lanes, and of a Gen chip's thread where what it begins with lies."""
        k = self.kernel
        return (getattr(k, "simd", k.wave_size), getattr(k, "per_thread_bytes", 0), getattr(k, "payload_bytes", 0),
                getattr(k, "private_at", NOWHERE) & NOWHERE)

    def write(self, wave, quiet, wave_bytes, scratch_offset, suspends, blocks):
        """`wave` is the code of a wavefront, `quiet` that of one that tells no more."""
        t, b, k = self.types, self.b, self.kernel
        function = add_function(self.module, KERNEL_PREFIX + k.name + self.suffix,
                                t.function(t.void, [t.ptr] * 3 + [t.i64] * 4))
        function.add_attribute("nounwind")
        b.at_end(function.append_block("entry"))
        facts = self.facts(wave_bytes, scratch_offset, suspends)
        kernarg = b.alloca(t.array(t.i8, self.all_bytes + WAVE_ALIGN))
        kernarg.align = WAVE_ALIGN
        unused = b.alloca(t.array(t.i64, blocks))
        mode = b.alloca(t.i32)
        if self.flushes:
            modes.write_mode(self.module, b, mode, t.i32.const(modes.FLUSHES))
        b.call(get_function(self.module, "clpy_run_groups"), [*function.params, facts, wave, quiet, kernarg, unused])
        if self.flushes:
            modes.write_mode(self.module, b, mode, t.i32.const(modes.KEEPS))
        b.ret()
