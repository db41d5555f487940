# SPDX-License-Identifier: Apache-2.0
"""Images become pointers to their descriptor (clpy_image of include/clpy_image.h), samplers 32-bit numbers, pipes
pointers to their memory (clpy_pipe of include/clpy_pipe.h), reservations in them 64-bit numbers.

The front end gives them opaque types, which the builtins look into through functions that only this pass defines:
`__clpy_view(image)` and its like. A sampler in the source is a number already, a reservation is made of one. What an
image's descriptor says does not change while a kernel runs, so loads from it are marked as invariant.
"""
from clpy.abi_layout import IMAGE_BYTES
from clpy.compiler.analysis.builtin_table import base_name
from clpy.compiler.analysis.descriptors import mark_invariant
from clpy.compiler.analysis.memory import CONSTANT, GLOBAL
from clpy.compiler.lowering import LoweringError
from clpy.llvm.ir import Builder, Function, Inst, Types, functions, with_params

IMAGE, SAMPLER, PIPE, RESERVATION = HANDLES = ("spirv.Image", "spirv.Sampler", "spirv.Pipe", "spirv.ReserveId")
RESERVATION_OF, RESERVATION_NUMBER = "__clpy_reserve_id", "__clpy_reservation"
LOOKS_INSIDE = ("__clpy_view", "__clpy_sampler", "__clpy_pipe_ro", "__clpy_pipe_wo", RESERVATION_NUMBER)
OF_PIPE_ADDRESS = ("__clpy_pipe_ro_at", "__clpy_pipe_wo_at")     # of compiler/spirv_pipes.py
OF_PARAMETERS = ("__clpy_image_after", "__clpy_image_distance")
LITERALS = ("__translate_sampler_initializer", RESERVATION_OF, *OF_PIPE_ADDRESS)


def is_handle(value):
    return value.type.target_ext_name in HANDLES




def copied(access, plain):
    """The same access with another type of value."""
    plain.align, plain.is_volatile = access.align, access.is_volatile
    return plain


class Handles:
    """The plain values that take the place of images, samplers, pipes and reservations."""

    def __init__(self, module):
        self.module, self.types, self.builder = module, Types(module), Builder(module)
        self.plain = {}          # handle -> its plain value
        self.opaque = []         # instructions that make handles
        self.remade = {}         # function -> the same with plain parameters
        self.views = []          # parameters that point to descriptors

    def type_of(self, type_):
        """The plain type in place of a type."""
        types = self.types
        plain = {IMAGE: types.pointer(CONSTANT), SAMPLER: types.i32, PIPE: types.pointer(GLOBAL),
                 RESERVATION: types.i64}
        return plain.get(type_.target_ext_name, type_)

    def remake(self, function):
        """A copy of the function with plain parameters; the old one is left without a body."""
        new = with_params(self.module, function, [self.type_of(t) for t in function.value_type.params], ".handles")
        for index, (old, param) in enumerate(zip(function.params, new.params, strict=True), start=1):
            param.name = old.name
            if not is_handle(old):
                new.copy_attributes(function, index, index)
                old.replace_with(param)
                continue
            self.plain[old] = param
            if old.type.target_ext_name == IMAGE:
                describe(new, index)
                self.views.append(param)
        self.remade[function] = new

    def of(self, handle):
        """The plain value of a handle."""
        if handle not in self.plain:
            if isinstance(handle, Inst):
                self.plain[handle] = self.make(handle)
            elif handle.is_undef:
                self.plain[handle] = self.type_of(handle.type).poison
            else:
                self.plain[handle] = self.type_of(handle.type).null
        return self.plain[handle]

    def make(self, inst):
        """The plain value of an instruction that makes a handle."""
        op, b = inst.opcode, self.builder
        self.opaque.append(inst)
        if op == "call" and inst.callee.name in LITERALS:
            return inst.args[0]
        if op == "phi":
            new = self.plain[inst] = b.before(inst).phi(self.type_of(inst.type))
            for value, block in inst.incoming:
                new.add_incoming(self.of(value), block)
            return new
        if op == "select":
            condition, yes, no = inst.operands
            yes, no = self.of(yes), self.of(no)
            return b.before(inst).select(condition, yes, no)
        if op == "freeze":
            value = self.of(inst.operand(0))
            return b.before(inst).freeze(value)
        if op == "load" and inst.type.target_ext_name == RESERVATION:
            return copied(inst, b.before(inst).load(self.type_of(inst.type), inst.operand(0)))
        raise LoweringError("an image, a sampler or a pipe comes from memory, or one of them or a reservation from a "
                            "function")

    def replace_uses(self, function):
        """Give the instructions that take handles plain values."""
        for inst in function.instructions:
            if is_handle(inst):
                self.of(inst)
            elif inst.opcode == "call" and any(map(is_handle, inst.args)):
                self.replace_call(inst)
            elif inst.opcode == "store" and inst.operand(0).type.target_ext_name == RESERVATION:
                self.replace_store(inst)

    def replace_store(self, store):
        """Of a reservation: work-groups keep theirs in local memory."""
        value, at = store.operands
        copied(store, self.builder.before(store).store(self.of(value), at))
        store.erase()

    def replace_call(self, call):
        callee = call.callee
        name = base_name(callee.name) if isinstance(callee, Function) else ""
        if name in LOOKS_INSIDE:
            new = self.of(call.args[0])
        elif name in OF_PARAMETERS:
            new = self.among_parameters(call, name)
        elif callee in self.remade:
            args = [self.of(a) if is_handle(a) else a for a in call.args]
            new = self.builder.before(call).call(self.remade[callee], args)
            new.set_call_conv(callee.call_conv)
        else:
            raise LoweringError(f"undefined reference to '{name}'")
        if not call.is_void:
            call.replace_with(new)
        call.erase()

    def among_parameters(self, call, name):
        """__clpy_image_after(image, n): the descriptor of the nth image parameter behind the image, or the last one;
        __clpy_image_distance(image, other): how many parameters further the other one is."""
        images = [p for p in call.function.params if p in self.views]
        places = [images.index(self.of(a)) if self.of(a) in images else -1 for a in call.args if is_handle(a)]
        if -1 in places or places != sorted(places):
            raise LoweringError("images that motion is searched in must be arguments of the kernel, behind that of the "
                                "source")
        if name == OF_PARAMETERS[1]:
            return call.type.const(places[1] - places[0])
        after, number, b = images[places[0]:], call.args[1], self.builder.before(call)
        chosen = after[-1]
        for n in reversed(range(len(after) - 1)):
            chosen = b.select(b.icmp("eq", number, number.type.const(n)), after[n], chosen)
        return chosen

    def erase_opaque(self):
        for inst in self.opaque:
            inst.replace_with(inst.type.poison)
        for inst in self.opaque:
            inst.erase()
        for function in self.remade:
            function.erase()


def describe(function, index):
    """What is known of a parameter that points to a descriptor."""
    for name, value in (("noundef", None), ("nonnull", None), ("readonly", None), ("align", 8),
                        ("dereferenceable", IMAGE_BYTES)):
        function.add_attribute(name, value, index)


def has_handles(function):
    return any(is_handle(p) for p in function.params) or (
        function.name in LITERALS and function.has_users)


def run(module, lowering):
    if not any(map(has_handles, functions(module))):
        return
    module.run_passes("function(sroa)")      # handles live in values, not in variables
    handles = Handles(module)
    for function in [f for f in functions(module) if not f.is_declaration and has_handles(f)]:
        handles.remake(function)
    for function in [f for f in functions(module) if not f.is_declaration]:
        handles.replace_uses(function)
    handles.erase_opaque()
    mark_invariant(module, handles.views)
