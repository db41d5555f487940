# SPDX-License-Identifier: Apache-2.0
"""Which memory a generic pointer points to is told by its address.

Local memory of a group ends where context memory begins (clpy/device/host/launch.pyx). Private arrays are in context
memory, or on the stack in the frame of the kernel function, which everything that asks is inlined into by now.
"""
from clpy.abi_layout import KERNEL_PREFIX
from clpy.compiler import frame as fr
from clpy.compiler.analysis.builtin_table import IS_LOCAL, IS_PRIVATE
from clpy.llvm.ir import Builder, Types, get_function, intrinsic

SIZES = [fr.LAUNCH_LOCAL + 8 * d for d in range(3)]


class Ranges:
    """The limits of a kernel function's memory, as numbers, made at its entry."""

    def __init__(self, module, kernel, context_bytes):
        self.types, self.builder = Types(module), Builder(module).before(kernel.entry.first)
        launch, _, mem = kernel.params[:3]
        b, i64 = self.builder, self.types.i64
        self.local, self.context = self.load(mem, fr.MEM_LOCAL), self.load(mem, fr.MEM_CONTEXT)
        self.context_bytes = i64.const(context_bytes)
        for size in SIZES:
            self.context_bytes = b.mul(self.context_bytes, self.load(launch, size))
        frame = b.call(intrinsic(module, "llvm.frameaddress", [self.types.ptr]), [self.types.i32.const(0)])
        lowest = b.call(intrinsic(module, "llvm.stacksave", [self.types.ptr]), [])
        self.stack = b.cast("ptrtoint", lowest, i64)
        self.stack_bytes = b.sub(b.cast("ptrtoint", frame, i64), self.stack)

    def load(self, base, offset):
        return self.builder.load(self.types.i64, self.builder.gep(self.types.i8, base, [self.types.i64.const(offset)]))

    def is_local(self, b, address):
        return b.icmp("ult", b.sub(address, self.local), b.sub(self.context, self.local))

    def is_private(self, b, address):
        in_context = b.icmp("ult", b.sub(address, self.context), self.context_bytes)
        return b.binop("or", in_context, b.icmp("ult", b.sub(address, self.stack), self.stack_bytes))


def run(module, lowering):
    builder, ranges = Builder(module), {}
    for name, tell in ((IS_LOCAL, Ranges.is_local), (IS_PRIVATE, Ranges.is_private)):
        asked = get_function(module, name)
        for call in asked.users if asked is not None else ():
            kernel = call.function
            if kernel not in ranges:
                info = lowering.kernels[kernel.name.removeprefix(KERNEL_PREFIX)]
                ranges[kernel] = Ranges(module, kernel, info.context_bytes)
            b = builder.before(call)
            call.replace_with(tell(ranges[kernel], b, b.cast("ptrtoint", call.args[0], ranges[kernel].types.i64)))
            call.erase()
