# SPDX-License-Identifier: Apache-2.0
"""Private and local pointers in the memory of a SPIR-V module for a chip.

They have 32 bits on a chip, and 64 in what the module says of memory: steps from one to the next, what is copied, how
large a structure is. So before the module becomes one for the chip (retarget.py), memory has words of 64 bits in their
place. A null pointer is a word 0, as memory that was filled with zeros has it, and on the chip no address 0: that is
where the first variable lies. A word of an address has a mark beside it.
"""
from clpy.llvm.ir import (
    Builder,
    Global,
    Inst,
    Types,
    add_global,
    const_array,
    const_struct,
    functions,
    global_variables,
)

NARROW = (0, 3)             # private and local memory of spir64
ADDRESS = 1 << 32           # the mark
OF_CALLS = ("byval", "sret")        # attributes that tell of the memory behind a parameter
CASTS = ("addrspacecast", "ptrtoint")


def is_narrow(type_):
    return type_.is_pointer and type_.address_space in NARROW


def has_narrow(type_):
    if type_.is_array:
        return has_narrow(type_.element)
    return any(map(has_narrow, type_.fields)) if type_.is_struct else is_narrow(type_)


def is_variable(address):
    """Whether it is certainly not null."""
    while address.opcode == "getelementptr":
        address = address.operand(0)
    return address.opcode == "alloca" or isinstance(address, Global)


class Memory:
    def __init__(self, module):
        self.module, self.types, self.builder = module, Types(module), Builder(module)

    def type_of(self, type_):
        """What memory has in place of a type: it is as large."""
        if not has_narrow(type_):
            return type_
        if type_.is_array:
            return self.types.array(self.type_of(type_.element), type_.count)
        if type_.is_struct:
            return self.types.struct([self.type_of(field) for field in type_.fields], type_.is_packed)
        return self.types.i64

    def constant(self, value):
        """What memory begins with; None where that is not known before the program is on the chip."""
        type_ = value.type
        if not has_narrow(type_):
            return value
        if value.is_undef:
            return self.type_of(type_).poison
        if value.is_null:
            return self.type_of(type_).null
        if type_.is_pointer:
            is_null = value.is_const_expr and value.const_opcode == "addrspacecast" and value.operand(0).is_null
            return self.types.i64.null if is_null else None
        count = type_.count if type_.is_array else len(type_.fields)
        made = [self.constant(value.const_element(index)) for index in range(count)]
        if None in made:
            return None
        if type_.is_array:
            return const_array(self.type_of(type_.element), made)
        return const_struct(self.module, made, type_.is_packed)

    def variable(self, old):
        if not has_narrow(old.value_type) or old.name.startswith("llvm."):
            return
        value = None if old.is_declaration else self.constant(old.initializer)
        if value is None and not old.is_declaration:
            raise ValueError(f"'{old.name}' begins with a pointer to private or local memory")
        name, old.name = old.name, f"{old.name}.narrow"
        made = add_global(self.module, name, self.type_of(old.value_type), old.address_space)
        made.set_fixed(old.is_fixed)
        made.align = old.align
        if value is not None:
            made.initializer = value
        if old.is_internal:
            made.set_internal()
        old.replace_with(made)
        old.erase()

    def step(self, value):
        """A constant address within a variable, with steps as memory has them."""
        if not value.is_const_expr:
            return value
        if value.const_opcode in CASTS:
            inner = self.step(value.operand(0))
            return value if inner == value.operand(0) else self.builder.cast(value.const_opcode, inner, value.type)
        if value.const_opcode != "getelementptr":
            return value
        base, *indices = value.operands
        type_ = self.type_of(value.gep_source_type)
        return self.builder.gep(type_, self.step(base), indices, flags=value.gep_flags)

    def getelementptr(self, inst):
        type_ = inst.gep_source_type
        if has_narrow(type_):
            base, *indices = inst.operands
            self.replace(inst, self.builder.gep(self.type_of(type_), base, indices, flags=inst.gep_flags))

    def alloca(self, inst):
        type_ = inst.allocated_type
        if has_narrow(type_) and inst.operand(0).is_const_int and inst.operand(0).zext == 1:
            made = self.builder.alloca(self.type_of(type_))
            made.align = inst.align
            self.replace(inst, made)

    def load(self, inst):
        type_ = inst.type
        if not has_narrow(type_):
            return
        self.check(type_)
        word = self.builder.load(self.types.i64, inst.operand(0))
        word.align, word.is_volatile = inst.align, inst.is_volatile
        is_null = self.builder.icmp("eq", word, word.type.null)
        self.replace(inst, self.builder.select(is_null, type_.null, self.builder.cast("inttoptr", word, type_)))

    def store(self, inst):
        value, place = inst.operands
        if not has_narrow(value.type):
            return
        self.check(value.type)
        word = self.builder.cast("ptrtoint", value, self.types.i64)
        word = self.builder.binop("or", word, word.type.const(ADDRESS))
        if not is_variable(value):
            is_null = self.builder.icmp("eq", value, value.type.null)
            word = self.builder.select(is_null, word.type.null, word)
        made = self.builder.store(word, place)
        made.align, made.is_volatile = inst.align, inst.is_volatile
        inst.erase()

    def check(self, type_):
        if not type_.is_pointer:
            raise ValueError("so many pointers to private or local memory cannot be loaded or stored at once")

    def replace(self, inst, made):
        if isinstance(made, Inst):
            made.name_like(inst)
        inst.replace_with(made)
        inst.erase()

    def function(self, function):
        for index in range(1, function.n_params + 1):
            for name in OF_CALLS:
                if (type_ := function.attribute_type(name, index)) is not None and has_narrow(type_):
                    self.parameter(function, name, index, type_)
        for inst in function.instructions_of("getelementptr", "alloca", "load", "store"):
            self.builder.before(inst)
            getattr(self, inst.opcode)(inst)
        for inst in function.instructions:
            for index, value in enumerate(inst.operands):
                if value.is_const_expr and (made := self.step(value)) != value:
                    inst.set_operand(index, made)

    def parameter(self, function, name, index, type_):
        """Calls have what the function says."""
        for user in function.users:
            if user.opcode == "call":
                user.remove_call_attribute(name, index)
        function.add_type_attribute(name, self.type_of(type_), index)


def widen(module):
    """Before the module is one for the chip."""
    memory = Memory(module)
    for variable in global_variables(module):
        memory.variable(variable)
    for function in functions(module):
        memory.function(function)
