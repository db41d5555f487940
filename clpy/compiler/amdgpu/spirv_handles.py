# SPDX-License-Identifier: Apache-2.0
"""Queues and events of a SPIR-V module for a chip.

The translator makes pointers of them that look like those to private memory, which have 32 bits on a chip. So before
the module becomes one for the chip (retarget.py) they become words of 64 bits, wherever they come from memory and go
there.
"""
from clpy.compiler.device_queues import EVENT, OPAQUE_OF, POINTER_OF, QUEUE
from clpy.llvm.ir import SPIR_KERNEL, Builder, Function, Types, declare, functions, get_function, with_params

GLOBAL = 1              # memory of spir64, as all numbers here
WORD_OF = {QUEUE: "__clpy_word_of_queue", EVENT: "__clpy_word_of_event"}
OF_WORD = {QUEUE: "__clpy_queue_of_word", EVENT: "__clpy_event_of_word"}
CASTS = {**dict.fromkeys(WORD_OF.values(), "ptrtoint"), **dict.fromkeys(OF_WORD.values(), "inttoptr")}
RANGES = ("__get_kernel_max_sub_group_size_for_ndrange_impl", "__get_kernel_sub_group_count_for_ndrange_impl")


class Words:
    def __init__(self, module):
        self.module, self.types, self.builder = module, Types(module), Builder(module)
        self.known = {}         # value -> its word, or None where it is an address

    def is_pointer(self, type_):
        return type_.is_pointer and type_.address_space == 0

    def of(self, value):
        if value not in self.known:
            self.known[value] = None
            self.known[value] = self.make(value)
        return self.known[value]

    def make(self, value):
        builder, word = self.builder, self.types.i64
        if value.is_null:
            return word.null
        if value.is_undef:
            return word.poison
        if value.opcode == "load":
            made = builder.before(value).load(word, value.operand(0))
            made.align = value.align
            return made
        if value.opcode == "select":
            yes, no = self.of(value.operand(1)), self.of(value.operand(2))
            return builder.before(value).select(value.operand(0), yes, no) if yes and no else None
        if value.opcode == "phi":
            return self.of_phi(value)
        if value.opcode == "call" and isinstance(value.callee, Function):
            for kind, name in POINTER_OF.items():
                if value.callee.name == name:
                    return self.call(value, WORD_OF[kind], word, value.args)
        return None

    def of_phi(self, value):
        made = self.known[value] = self.builder.before(value).phi(self.types.i64)
        words = [(self.of(each), block) for each, block in value.incoming]
        if not all(each for each, _ in words):
            return None
        for each, block in words:
            made.add_incoming(each, block)
        return made

    def call(self, place, name, returns, args):
        callee = declare(self.module, name, self.types.function(returns, [arg.type for arg in args]))
        return self.builder.before(place).call(callee, args)

    def give(self, function):
        """Where a function of the language wants one: a word, as what it is."""
        kind = next(kind for kind, name in OPAQUE_OF.items() if name == function.name)
        for call in function.users:
            word = self.of(call.args[0])
            if word is None:
                raise ValueError(f"a {kind.removeprefix('spirv.')} that comes from where none can come from")
            call.replace_with(self.call(call, OF_WORD[kind], call.type, [word]))
            call.erase()

    def keep(self, function):
        """What is stored: there is room for it (spirv_memory.py)."""
        for store in function.instructions_of("store"):
            value = store.operand(0)
            if self.is_pointer(value.type) and not value.is_null and (word := self.of(value)):
                self.builder.before(store).store(word, store.operand(1)).align = store.align
                store.erase()


def to_words(module):
    """Before the module is one for the chip."""
    words = Words(module)
    for function in functions(module):
        forget_functions(function)
        if function.call_conv == SPIR_KERNEL and any(queues_of(function)):
            take_queues(module, words, function)
    opaque, pointer = ([function for name in names.values() if (function := get_function(module, name)) is not None]
                       for names in (OPAQUE_OF, POINTER_OF))
    if not opaque and not pointer:
        return
    for function in opaque:
        words.give(function)
    for function in functions(module):
        words.keep(function)
    for call in (call for function in pointer for call in function.users):
        if not call.has_users:
            call.erase()


def queues_of(kernel):
    """Which of its parameters are queues: no other pointer to private memory is one, but for structures."""
    return [param.type.is_pointer and param.type.address_space == 0 and kernel.attribute_type("byval", index) is None
            for index, param in enumerate(kernel.params, start=1)]


def take_queues(module, words, old):
    """The kernel with addresses in global memory in place of its queues."""
    types, queues = words.types, queues_of(old)
    params = [types.pointer(GLOBAL) if is_queue else param.type
              for is_queue, param in zip(queues, old.params, strict=True)]
    made = with_params(module, old, params, ".by_pointer")
    builder = words.builder.before(made.entry.instructions[0])
    for index, (before, after, is_queue) in enumerate(zip(old.params, made.params, queues, strict=True), start=1):
        made.copy_attributes(old, index, index)
        if not is_queue:
            before.replace_with(after)
            continue
        word = builder.cast("ptrtoint", after, types.i64)
        pointer = builder.cast("inttoptr", word, before.type)
        words.known[pointer] = word
        before.replace_with(pointer)
    old.erase()


def forget_functions(function):
    """Addresses of blocks' functions that the translator left, and that nobody wants."""
    for inst in function.instructions_of("addrspacecast"):
        if isinstance(inst.operand(0), Function) and not inst.has_users:
            inst.erase()


def finish(module):
    """Behind that: what stood for casts, and ranges as the chips' library is given them."""
    builder, types = Builder(module), Types(module)
    for name, cast in CASTS.items():
        function = get_function(module, name)
        for call in function.users if function is not None else ():
            call.replace_with(builder.before(call).cast(cast, call.args[0], call.type))
            call.erase()
    for name in RANGES:
        old = get_function(module, name)
        if old is None:
            continue
        old.name = f"{name}.private"
        generic = [types.ptr, *old.value_type.params[1:]]
        callee = declare(module, name, types.function(old.value_type.returns, generic))
        for call in old.users:
            range_, *rest = call.args
            builder.before(call)
            call.replace_with(builder.call(callee, [builder.cast("addrspacecast", range_, types.ptr), *rest]))
            call.erase()
