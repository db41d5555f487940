# SPDX-License-Identifier: Apache-2.0
"""Where machine code comes from in the source (lines_shim.cpp)."""
from cython cimport no_gc_clear
from libc.stdint cimport uint64_t, uintptr_t
from libc.stdlib cimport free, malloc
from clpy.llvm.builder cimport Builder
from clpy.llvm.capi cimport *
from clpy.llvm.functions cimport Function
from clpy.llvm.guard cimport guarded
from clpy.llvm.module cimport Module

cdef extern from "lines_shim.h" nogil:
    struct clpy_line_question:
        const char *object
        size_t size
        const char *name
        uint64_t offset
        int inside
        char *answer
    void clpy_place_lines(void *, const char *, const char *) noexcept
    void clpy_find_line(void *) noexcept


def place_lines(Module module, str prefix, str part):
    """Functions whose names begin with `prefix`, or that have the attribute `part`, say where in the source their
    instructions come from."""
    cdef bytes text = prefix.encode(), attribute = part.encode()
    cdef const char *c_prefix = text
    cdef const char *c_part = attribute
    with nogil:
        clpy_place_lines(module.module, c_prefix, c_part)


cdef bint find_line(const char *object, size_t size, const char *name, uint64_t offset, char **place) noexcept nogil:
    cdef clpy_line_question question
    cdef char *failed
    question.object, question.size, question.name, question.offset = object, size, name, offset
    question.inside = 0
    question.answer = NULL
    place[0] = NULL
    failed = guarded(clpy_find_line, &question)
    if failed == NULL:
        place[0] = question.answer
    free(failed)
    return question.inside != 0


def line_finder():
    """The address of a find_line_fn (clpy/core/program.pxd), which needs no Python."""
    return <uintptr_t>&find_line


def place_of(bytes object, str name, uint64_t offset):
    """The place in the source of a byte of an object file's function, None where it is not known."""
    cdef char *place = NULL
    cdef bytes c_name = name.encode()
    find_line(object, len(object), c_name, offset, &place)
    if place == NULL:
        return None
    text = place.decode("utf-8", "replace")
    free(place)
    return text


def source_files(Module module):
    """Names of the files that the module was compiled from, headers apart; none where it has no line tables."""
    cdef unsigned i, size = 0, n = LLVMGetNamedMetadataNumOperands(module.module, b"llvm.dbg.cu")
    cdef LLVMValueRef *units = <LLVMValueRef *>malloc((n + 1) * sizeof(LLVMValueRef))
    cdef LLVMMetadataRef file
    cdef const char *name
    cdef list out = []
    if units == NULL:
        raise MemoryError
    try:
        LLVMGetNamedMetadataOperands(module.module, b"llvm.dbg.cu", units)
        for i in range(n):
            file = LLVMDIScopeGetFile(LLVMValueAsMetadata(units[i]))
            name = LLVMDIFileGetFilename(file, &size)
            out.append(name[:size].decode("utf-8", "replace"))
    finally:
        free(units)
    return out


@no_gc_clear
cdef class Places:
    """Where instructions come from that are made of code with line tables of its own, for the line tables of what they
    become. The line 0 is nobody's."""
    cdef LLVMDIBuilderRef ptr
    cdef Module owner
    cdef LLVMMetadataRef type, scope, caller
    cdef dict files, scopes

    def __cinit__(self, Module module, str source):
        self.owner = module
        self.ptr = LLVMCreateDIBuilder(module.module)
        self.files, self.scopes = {}, {}
        LLVMDIBuilderCreateCompileUnit(self.ptr, LLVMDWARFSourceLanguageC99, self.file(source), b"clpy", 4, True, b"",
                                       0, 0, b"", 0, LLVMDWARFEmissionLineTablesOnly, 0, False, False, b"", 0, b"", 0)
        self.type = LLVMDIBuilderCreateSubroutineType(self.ptr, self.file(source), NULL, 0, LLVMDIFlagZero)
        version = LLVMConstInt(LLVMInt32TypeInContext(module.context), LLVMDebugMetadataVersion(), False)
        LLVMAddModuleFlag(module.module, LLVMModuleFlagBehaviorWarning, b"Debug Info Version", 18,
                          LLVMValueAsMetadata(version))

    def __dealloc__(self):
        LLVMDisposeDIBuilder(self.ptr)      # before the module

    cdef LLVMMetadataRef file(self, str name) except NULL:
        cdef bytes text = name.encode()
        if name not in self.files:
            self.files[name] = <size_t>LLVMDIBuilderCreateFile(self.ptr, text, len(text), b"", 0)
        return <LLVMMetadataRef><size_t>self.files[name]

    def enter(self, Function function, str name, str source):
        """What follows is in this function. Tables of lines alone have no names but of what was inlined: so has this,
        into itself."""
        cdef LLVMMetadataRef whole = self.function(name, source)
        LLVMSetSubprogram(function.ptr, whole)
        self.caller = LLVMDIBuilderCreateDebugLocation(self.owner.context, 0, 0, whole, NULL)
        self.scope = self.function(name, source)
        self.scopes = {source: <size_t>self.scope}

    cdef LLVMMetadataRef function(self, str name, str source) except NULL:
        cdef bytes text = name.encode()
        cdef LLVMMetadataRef file = self.file(source)
        return LLVMDIBuilderCreateFunction(self.ptr, file, text, len(text), b"", 0, file, 0, self.type, False, True, 0,
                                           LLVMDIFlagZero, True)

    def at(self, Builder builder, str source, unsigned line):
        """What the builder makes from here on comes from that line."""
        cdef LLVMMetadataRef file = self.file(source)
        if source not in self.scopes:
            self.scopes[source] = <size_t>LLVMDIBuilderCreateLexicalBlockFile(self.ptr, self.scope, file, 0)
        LLVMSetCurrentDebugLocation2(builder.ptr, LLVMDIBuilderCreateDebugLocation(
            self.owner.context, line, 0, <LLVMMetadataRef><size_t>self.scopes[source], self.caller))

    def finish(self):
        LLVMDIBuilderFinalize(self.ptr)
