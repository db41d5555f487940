# SPDX-License-Identifier: Apache-2.0
"""Which line of the source each part of a program comes from, told to Intel's compiler: it makes line tables of SPIR-V
that has it.

LLVM's SPIR-V has no lines. So `mark` puts calls of functions that are nowhere before what comes from another line than
the instruction before it, and `place` what SPIR-V says it with in their places: OpLine, and scopes of
OpenCL.DebugInfo.100, without which Intel's compiler does not look at it. All else is the same as without. No scope
says which function it is: Intel's compiler would put an instruction into that, beside which it optimizes less.
"""
from array import array

from clpy.compiler.amdgpu.dwarf_lines import SOURCE
from clpy.compiler.spirv import (
    HEADER_WORDS,
    OP_DECORATE,
    OP_ENTRY_POINT,
    OP_EXECUTION_MODE,
    OP_EXECUTION_MODE_ID,
    OP_FUNCTION,
    OP_FUNCTION_END,
    OP_MEMORY_MODEL,
    Module,
)

MARK = "clpy.line."
OTHER_MEMORY = 12       # of the attribute `memory`: reads and writes what the program cannot see
SET = "OpenCL.DebugInfo.100"
OP_NAME, OP_STRING, OP_LINE, OP_EXT_INST_IMPORT, OP_EXT_INST = 5, 7, 8, 11, 12
OP_TYPE_VOID, OP_FUNCTION_CALL, OP_LABEL = 19, 57, 248
NONE, COMPILATION_UNIT, TYPE_FUNCTION, FUNCTION, LEXICAL_BLOCK, SCOPE, SOURCE_FILE = 0, 1, 8, 20, 21, 23, 35
VERSION, DWARF_VERSION, OPENCL_C = 65536, 4, 3
IS_PUBLIC, IS_DEFINITION = 3, 8
BEFORE_STRINGS = (OP_MEMORY_MODEL, OP_ENTRY_POINT, OP_EXECUTION_MODE, OP_EXECUTION_MODE_ID)


def mark(module):
    """Puts marks into a module. Returns (file, line) of each by the number in its name; the source has the name that
    dwarf_lines knows it by."""
    from clpy.llvm.ir import Builder, Types, add_function, functions
    from clpy.llvm.lines import source_files
    sources, t, builder, marks, places = source_files(module), Types(module), Builder(module), {}, []

    def marker(place):
        if place not in marks:
            file, line = place.rsplit(":", 1)
            marks[place] = add_function(module, f"{MARK}{len(marks)}", t.function(t.void, []))
            for name, value in (("nounwind", None), ("willreturn", None), ("memory", OTHER_MEMORY)):
                marks[place].add_attribute(name, value)
            places.append((SOURCE if file in sources else file, int(line)))
        return marks[place]

    for function in [f for f in functions(module) if not f.is_declaration]:
        for block in function.blocks:
            for inst, place in changes(block.instructions):
                builder.before(inst).call(marker(place), [])
    return places


def changes(instructions):
    """[(instruction, place)] of those that come from elsewhere than what is before them; nothing comes between
    variables or phis."""
    last, start = "", max((n + 1 for n, inst in enumerate(instructions) if inst.opcode in ("alloca", "phi")), default=0)
    for inst in instructions[start:]:
        place = inst.place
        if place not in ("", last):
            last = place
            yield inst, place


def place(spirv, places):
    """SPIR-V with lines of SPIR-V with marks."""
    return Writer(array("I", spirv), places).run() if places else spirv


def text(value):
    """A literal's words."""
    data = value.encode() + b"\0"
    return array("I", data.ljust(-(-len(data) // 4) * 4, b"\0"))


def text_at(words, start, end):
    return words[start:end].tobytes().split(b"\0")[0].decode("utf-8", "replace")


class Writer:
    def __init__(self, words, places):
        self.module, self.words, self.places = Module(words, None), words, places
        self.out, self.next_id = array("I", words[:HEADER_WORDS]), words[3]
        self.markers = {}           # id of a mark's function -> its place
        self.files = {}             # id of a function with a body -> names of the files that its lines are in
        self.names = {}             # ids -> names
        self.void = 0
        self.begins = {}            # a part of the module -> where it begins
        self.strings, self.scopes = {}, {}      # text -> id, (function, file) -> id
        self.read()

    def read(self):
        words, function = self.words, 0
        for i, opcode, count in self.module.instructions():
            if opcode == OP_MEMORY_MODEL:
                self.begins["model"] = i
            elif "model" in self.begins and opcode not in BEFORE_STRINGS:
                self.begins.setdefault("names", i)
            if opcode == OP_NAME:
                name = self.names[words[i + 1]] = text_at(words, i + 2, i + count)
                if name.startswith(MARK):
                    self.markers[words[i + 1]] = self.places[int(name.removeprefix(MARK))]
            elif opcode == OP_TYPE_VOID:
                self.void = words[i + 1]
            elif opcode == OP_FUNCTION:
                self.begins.setdefault("functions", i)
                function = words[i + 2]
            elif opcode == OP_LABEL:
                self.files.setdefault(function, {SOURCE})
            elif opcode == OP_FUNCTION_CALL and words[i + 3] in self.markers:
                self.files[function].add(self.markers[words[i + 3]][0])

    def emit(self, opcode, *operands):
        self.out.append(len(operands) + 1 << 16 | opcode)
        self.out.extend(operands)

    def new_id(self):
        self.next_id += 1
        return self.next_id - 1

    def info(self, number, *operands):
        """The id of an instruction of the set."""
        made = self.new_id()
        self.emit(OP_EXT_INST, self.void, made, self.set, number, *operands)
        return made

    def run(self):
        parts = {self.begins[part]: add for part, add in (
            ("model", self.add_set), ("names", self.add_strings), ("functions", self.add_functions))}
        function, is_gone = 0, False
        for i, opcode, count in self.module.instructions():
            if i in parts:
                parts[i]()
            if opcode == OP_FUNCTION:
                function = self.words[i + 2]
                is_gone = function in self.markers
            if not is_gone and not self.is_mark(i, opcode, function):
                self.out.extend(self.words[i:i + count])
            is_gone = is_gone and opcode != OP_FUNCTION_END
            if opcode == OP_LABEL:
                self.scope = 0      # it ends with a block
        self.out[3] = self.next_id
        return self.out.tobytes()

    def is_mark(self, i, opcode, function):
        """Whether an instruction is part of one; calls become lines."""
        if opcode == OP_FUNCTION_CALL and self.words[i + 3] in self.markers:
            self.at(function, *self.markers[self.words[i + 3]])
            return True
        return opcode in (OP_NAME, OP_DECORATE) and self.words[i + 1] in self.markers

    def at(self, function, file, line):
        """What follows comes from that line."""
        scope = self.scopes[function, file]
        if scope != self.scope:
            self.scope = scope
            self.info(SCOPE, scope)
        self.emit(OP_LINE, self.strings[file], line, 0)

    def add_set(self):
        self.set = self.new_id()
        self.emit(OP_EXT_INST_IMPORT, self.set, *text(SET))

    def add_strings(self):
        for name in dict.fromkeys(["", *self.all_files(), *(self.names.get(f, "") for f in self.files)]):
            self.strings[name] = self.new_id()
            self.emit(OP_STRING, self.strings[name], *text(name))

    def all_files(self):
        return sorted(set().union(*self.files.values()))

    def add_functions(self):
        sources = {file: self.info(SOURCE_FILE, self.strings[file]) for file in self.all_files()}
        whole = self.info(COMPILATION_UNIT, VERSION, DWARF_VERSION, sources[SOURCE], OPENCL_C)
        kind, nothing = self.info(TYPE_FUNCTION, IS_PUBLIC, self.void), self.info(NONE)
        for function, files in self.files.items():
            name = self.names.get(function, "")
            scope = self.info(FUNCTION, self.strings[name], kind, sources[SOURCE], 0, 0, whole, self.strings[""],
                              IS_DEFINITION, 0, nothing)
            for file in sorted(files):
                self.scopes[function, file] = scope if file == SOURCE else self.info(
                    LEXICAL_BLOCK, sources[file], 0, 0, scope)
