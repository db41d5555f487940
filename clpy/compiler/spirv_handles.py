# SPDX-License-Identifier: Apache-2.0
"""Images, samplers and events of translated SPIR-V get the opaque types that Clang gives them.

The translator makes pointers of them. Which values they are is told by the names of builtins (`14ocl_image2d_ro` in a
mangled name), by the metadata of kernels' arguments, and, for functions in between, by the calls.
"""
import re

from clpy.compiler.analysis.builtin_table import base_name
from clpy.llvm.ir import FUNCTION, Builder, Types, add_function, functions, get_function, md_operands, md_text

SAMPLER, EVENT = "ocl_sampler", "ocl_event"
KNOWN = ("ocl_image", SAMPLER, EVENT)
NARROW = "mj9ocl_event"     # the end of a strided copy's name whose stride has 32 bits
LITERAL = "__translate_sampler_initializer"
# One parameter of a mangled name: qualifiers, then a type.
PARAMETER = re.compile(r"(?:P|K|V|U3AS\d|U7_Atomic)*(?:Dv\d+_(?:Dh|[a-z])|Dh|[a-z]|S\d*_|(\d+))")
FIRST_AGAIN = "S_"          # the first type that is counted: those with a name of their own are, and
COUNTED = ("P", "K", "V", "U", "Dv")
ACCESS = {"ro": 0, "wo": 1, "rw": 2}
QUALIFIERS = {"read_only": "ro", "write_only": "wo", "read_write": "rw"}
DIMENSIONS = {"1d": 0, "2d": 1, "3d": 2}


def parameters(symbol):
    """The word for each parameter of a mangled function: ocl_image2d_ro ..., "" for what is no handle."""
    first, found, at = None, [], len(re.match(r"_Z\d+", symbol)[0]) + len(base_name(symbol))
    while at < len(symbol):
        match = PARAMETER.match(symbol, at)
        if match is None:
            return []
        word, at = "", match.end()
        if match[1]:
            word, at = symbol[at:at + int(match[1])], at + int(match[1])
        if match[0] == FIRST_AGAIN:
            found.append(first or "")
            continue
        found.append(word if word.startswith(KNOWN) and match[0] == match[1] else "")
        if first is None and (match[1] or match[0].startswith(COUNTED)):
            first = found[-1]
    return found


def handle_type(types, word):
    if word == SAMPLER:
        return types.target_ext("spirv.Sampler")
    if word == EVENT:
        return types.target_ext("spirv.Event")
    shape, access = word.removeprefix("ocl_image").rsplit("_", 1)
    buffer = "_buffer" in shape
    numbers = [5 if buffer else DIMENSIONS[shape[:2]], int("_depth" in shape), int("_array" in shape),
               int("_msaa" in shape), 0, 0, ACCESS[access]]
    return types.target_ext("spirv.Image", [types.void], numbers)


def kernel_words(function):
    """The word for each argument of a kernel, by its metadata."""
    def texts(kind):
        node = function.metadata(kind)
        return [(md_text(op) if op is not None else None) or "" for op in md_operands(node)] if node else []

    words = []
    for name, access in zip(texts("kernel_arg_type"), texts("kernel_arg_access_qual"), strict=False):
        image = re.fullmatch(r"image(\w+)_t", name)
        words.append(f"ocl_image{image[1]}_{QUALIFIERS.get(access, 'ro')}" if image else
                     SAMPLER if name == "sampler_t" else "")
    return words


def only_handed_on(value):
    return all(user.opcode == "call" for user in value.users)


class Retyper:
    def __init__(self, module):
        self.module, self.types, self.builder = module, Types(module), Builder(module)
        self.words = {}         # function -> the word for each parameter
        self.made = {}          # function -> the same with opaque parameters
        self.named = {}         # name -> it
        self.sampler_of = None
        self.handles = {}       # pointer -> the handle in its place

    def collect(self):
        pending = []
        for function in functions(self.module):
            words = parameters(function.name) if function.is_declaration and "ocl_" in function.name else \
                kernel_words(function)
            if any(words):
                self.words[function] = words
                pending.append(function)
        for function in pending:    # it grows
            pending += self.through_callers(function)
            for param, word in zip(function.params, self.words[function], strict=False):
                pending += self.through_calls(param, word)

    def through_callers(self, function):
        """Functions, called by nobody perhaps, that hand on an image or a sampler which they were given."""
        for call in function.users:
            if call.opcode != "call" or call.callee != function:
                continue
            params = call.function.params
            words = self.words.get(call.function) or [""] * len(params)
            given = [(params.index(argument), word) for argument, word in
                     zip(call.args, self.words[function], strict=False)
                     if word not in ("", EVENT) and argument in params and only_handed_on(argument)]
            new = {index: word for index, word in given if not words[index]}
            if new:
                self.words[call.function] = [new.get(index, word) for index, word in enumerate(words)]
                yield call.function

    def through_calls(self, value, word):
        """Functions of the module that are given a handle here for the first time, or another one."""
        for user in value.users:
            if word and user.opcode == "call" and not user.callee.is_declaration:
                words = self.words.setdefault(user.callee, [""] * len(user.callee.params))
                for i, argument in enumerate(user.args):
                    if argument == value and not words[i]:
                        words[i] = word
                        yield user.callee

    def remake(self, function, name):
        signature = function.value_type
        words = [*self.words[function], *[""] * len(signature.params)]
        kinds = [handle_type(self.types, w) if w else t for w, t in zip(words, signature.params, strict=False)]
        is_event = base_name(name).startswith("async_work_group")
        returns = handle_type(self.types, EVENT) if is_event else signature.returns
        if is_event and name.endswith(NARROW):      # sizes are 64 bits wide, whatever the module says
            name = name.removesuffix(NARROW) + "mm9ocl_event"
            kinds[-2:-1] = [self.types.i64]
        if name in self.named:
            self.made[function] = self.named[name]
            return
        new = add_function(self.module, name, self.types.function(returns, kinds))
        self.made[function] = self.named[name] = new
        new.call_conv = function.call_conv
        new.copy_attributes(function, FUNCTION, FUNCTION)
        new.copy_metadata(function)
        if not function.is_declaration:
            new.take_blocks(function)
        for index, (old, param) in enumerate(zip(function.params, new.params, strict=True), start=1):
            param.name = old.name
            if words[index - 1]:
                self.handles[old] = param
            else:
                new.copy_attributes(function, index, index)
                old.replace_with(param)

    def handle(self, value, word):
        """What is given where a builtin takes a handle."""
        if value in self.handles:
            return self.handles[value]
        if value.opcode == "call" and value.callee.name == LITERAL:
            return self.builder.call(self.literal(), value.args)
        if word != EVENT:
            raise ValueError(f"an image or a sampler comes from elsewhere than an argument: {value}")
        return handle_type(self.types, word).null       # it carries nothing

    def literal(self):
        """The function that gives a sampler for its number."""
        if self.sampler_of is None:
            signature = self.types.function(handle_type(self.types, SAMPLER), [self.types.i32])
            self.sampler_of = add_function(self.module, LITERAL, signature)     # LLVM numbers it
        return self.sampler_of

    def replace_call(self, call):
        callee = call.callee
        words = [*self.words[callee], *[""] * call.n_args]
        self.builder.before(call)
        args = [self.handle(a, w) if w else a for a, w in zip(call.args, words, strict=False)]
        args = [self.builder.cast("zext", a, p.type) if a.type != p.type else a
                for a, p in zip(args, self.made[callee].params, strict=True)]
        new = self.builder.call(self.made[callee], args)
        if not call.is_void:
            call.replace_with(new if new.type == call.type else call.type.null)
        call.erase()


def promote_variables(module):
    """What modules that are not optimized keep in variables are values: no memory can have an opaque one."""
    allocas = [inst for function in functions(module) for inst in function.instructions_of("alloca")]
    if any(inst.allocated_type.is_pointer and inst.allocated_type.address_space for inst in allocas):
        module.run_passes("function(mem2reg)")


def run(module, lowering=None):
    promote_variables(module)
    retyper = Retyper(module)
    retyper.collect()
    if not retyper.words:
        return
    names = {function: function.name for function in retyper.words}
    for function in names:
        function.name = f"{names[function]}.pointers"
    for function, name in names.items():
        retyper.remake(function, name)
    for function in functions(module):
        for call in function.instructions_of("call"):
            if call.callee in retyper.words:
                retyper.replace_call(call)
    for function in retyper.words:
        function.erase()
    old = get_function(module, LITERAL)
    if old is not None and retyper.sampler_of is not None:
        for call in old.users:
            call.erase()
        old.erase()
        retyper.sampler_of.name = LITERAL
