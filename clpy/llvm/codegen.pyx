# SPDX-License-Identifier: Apache-2.0
"""Code generation: LLVM's target machines, from a module to a native object or assembly text, all in memory.

A Machine serves one thread at a time; `machine(...)` keeps those that are not in use.
"""
from contextlib import contextmanager

from libc.stdint cimport uintptr_t
from clpy.llvm.capi cimport *
from clpy.llvm.guard cimport guarded, link_only_needed, take
from clpy.llvm.module cimport Module

from clpy.llvm.module import LLVMError

cdef extern from "llvm-c/Target.h" nogil:
    void LLVMInitializeX86TargetInfo()
    void LLVMInitializeX86Target()
    void LLVMInitializeX86TargetMC()
    void LLVMInitializeX86AsmPrinter()
    void LLVMInitializeAMDGPUTargetInfo()
    void LLVMInitializeAMDGPUTarget()
    void LLVMInitializeAMDGPUTargetMC()
    void LLVMInitializeAMDGPUAsmPrinter()
    void LLVMInitializeAMDGPUAsmParser()
    void LLVMInitializeSPIRVTargetInfo()
    void LLVMInitializeSPIRVTarget()
    void LLVMInitializeSPIRVTargetMC()
    void LLVMInitializeSPIRVAsmPrinter()

cdef extern from "llvm-c/TargetMachine.h" nogil:
    ctypedef void *LLVMTargetRef
    ctypedef enum LLVMCodeGenOptLevel:
        LLVMCodeGenLevelNone
        LLVMCodeGenLevelDefault
        LLVMCodeGenLevelAggressive
    ctypedef enum LLVMRelocMode:
        LLVMRelocPIC
    ctypedef enum LLVMCodeModel:
        LLVMCodeModelSmall
    LLVMCodeGenFileType LLVMAssemblyFile
    LLVMCodeGenFileType LLVMObjectFile
    char *LLVMGetHostCPUName()
    char *LLVMGetHostCPUFeatures()
    LLVMBool LLVMGetTargetFromTriple(const char *, LLVMTargetRef *, char **)
    LLVMTargetMachineRef LLVMCreateTargetMachine(LLVMTargetRef, const char *, const char *, const char *,
                                                 LLVMCodeGenOptLevel, LLVMRelocMode, LLVMCodeModel)
    void LLVMDisposeTargetMachine(LLVMTargetMachineRef)
    LLVMTargetDataRef LLVMCreateTargetDataLayout(LLVMTargetMachineRef)

cdef extern from "llvm-c/Target.h" nogil:
    char *LLVMCopyStringRepOfTargetData(LLVMTargetDataRef)
    void LLVMDisposeTargetData(LLVMTargetDataRef)

cdef extern from "emit_shim.h" nogil:
    ctypedef struct clpy_emitter:
        pass
    LLVMBool clpy_emit(LLVMTargetMachineRef, LLVMModuleRef, LLVMCodeGenFileType, LLVMBool, clpy_emitter **, char **,
                       LLVMMemoryBufferRef *)
    void clpy_forget_emitter(clpy_emitter *)

cdef extern from "option_shim.h":
    void clpy_set_option(const char *, const char *)

cdef extern from "amdgpu_shim.h":
    void clpy_add_amdgpu_passes()

cdef extern from "<cxxabi.h>" namespace "abi" nogil:
    char *__cxa_demangle(const char *, char *, size_t *, int *)

ctypedef struct EmitJob:
    LLVMTargetMachineRef machine
    LLVMModuleRef module
    LLVMCodeGenFileType kind
    bint hurried
    clpy_emitter **kept
    char *message
    LLVMMemoryBufferRef out

LLVMInitializeX86TargetInfo()
LLVMInitializeX86Target()
LLVMInitializeX86TargetMC()
LLVMInitializeX86AsmPrinter()
# Checks that LLVM adds before a loop may lack one (clpy/compiler/analysis/loop_vectorizer.py): no loop is worth it.
clpy_set_option(b"loop-load-elimination-scev-check-threshold", b"0")
# In a function of thousands of instructions the register allocator would look at each block of it for each value that
# it cannot keep, which takes half of the time for code; what kernels gain by it was not to be measured.
clpy_set_option(b"grow-region-complexity-budget", b"300")
# Families of processors that are brought up when a program is compiled for one: first part of the triple -> whether.
cdef dict ready = {"amdgcn": False, "r600": False, "spirv64v1.3": False}  # one code generator has both of AMD's


cdef int bring_up(str family) except -1:
    if ready.get(family, True):
        return 0
    if family.startswith("spirv"):
        LLVMInitializeSPIRVTargetInfo()
        LLVMInitializeSPIRVTarget()
        LLVMInitializeSPIRVTargetMC()
        LLVMInitializeSPIRVAsmPrinter()
        ready[family] = True
        return 0
    LLVMInitializeAMDGPUTargetInfo()
    LLVMInitializeAMDGPUTarget()
    LLVMInitializeAMDGPUTargetMC()
    LLVMInitializeAMDGPUAsmPrinter()
    LLVMInitializeAMDGPUAsmParser()
    clpy_add_amdgpu_passes()
    # By what LLVM otherwise takes a wavefront to need of registers, loads that could all be under way wait for each
    # other, on gfx7 and gfx8 most of all.
    clpy_set_option(b"amdgpu-use-amdgpu-trackers", b"true")
    ready["amdgcn"] = ready["r600"] = True
    return 0


def set_option(str name, str value):
    """An option of LLVM's command line, for all machines of this process."""
    clpy_set_option(name.encode(), value.encode())


def host_cpu():
    """(name, feature string) of the CPU this runs on, as LLVM knows it."""
    return take(LLVMGetHostCPUName()), take(LLVMGetHostCPUFeatures())


def demangled(str name):
    """The signature that a mangled name of C++ or OpenCL C stands for, "" where it is none."""
    cdef bytes text = name.encode()
    cdef int status = 0
    return take(__cxa_demangle(text, NULL, NULL, &status))


def link_needed(Module dest, bytes library):
    """Link the functions of the bitcode `library` that `dest` needs into it."""
    cdef const char *data = library
    cdef size_t size = len(library)
    cdef char *error
    with nogil:
        error = link_only_needed(<void *>dest.module, data, size)
    dest.check()
    if error != NULL:
        raise LLVMError(take(error))


cdef void emit(void *arg) noexcept nogil:
    cdef EmitJob *job = <EmitJob *>arg
    clpy_emit(job.machine, job.module, job.kind, job.hurried, job.kept, &job.message, &job.out)


cdef class Machine:
    """A target machine. `ref` is the LLVMTargetMachineRef for Module.run_passes."""

    def __cinit__(self, str triple, str cpu, str features, bint optimize=True):
        cdef LLVMTargetRef target = NULL
        cdef char *message = NULL
        cdef bytes c_triple = triple.encode(), c_cpu = cpu.encode(), c_features = features.encode()
        cdef LLVMCodeGenOptLevel level = LLVMCodeGenLevelDefault if optimize else LLVMCodeGenLevelNone
        bring_up(triple.split("-")[0])
        if LLVMGetTargetFromTriple(c_triple, &target, &message):
            raise LLVMError(take(message))
        # Position independent: the JIT then reaches libm through a table, wherever it lies.
        self.machine = LLVMCreateTargetMachine(target, c_triple, c_cpu, c_features, level,
                                               LLVMRelocPIC, LLVMCodeModelSmall)
        if self.machine == NULL:
            raise LLVMError(f"no target machine for {triple}")
        self.key = (triple, cpu, features, bool(optimize))

    def __dealloc__(self):
        # What a crash left behind is not touched any more.
        if self.emitter != NULL and self.key is not None:
            clpy_forget_emitter(<clpy_emitter *>self.emitter)
        if self.machine != NULL:
            LLVMDisposeTargetMachine(self.machine)

    @property
    def ref(self):
        return <uintptr_t>self.machine

    @property
    def datalayout(self):
        """The data layout string of modules for this machine."""
        cdef LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(self.machine)
        text = take(LLVMCopyStringRepOfTargetData(layout))
        LLVMDisposeTargetData(layout)
        return text

    def object(self, Module module, bint hurried=False):
        """The module as a relocatable ELF object. The module is lowered on the way: it is of no further use. `hurried`:
        without what takes long for large functions and gains a little."""
        return self.emit(module, LLVMObjectFile, hurried)

    def assembly(self, Module module):
        """The module as assembly text; it is of no further use."""
        return self.emit(module, LLVMAssemblyFile, False).decode()

    cdef bytes emit(self, Module module, LLVMCodeGenFileType kind, bint hurried):
        cdef EmitJob job
        cdef char *fatal
        job.machine = self.machine
        job.module = module.module
        job.kind = kind
        job.hurried = hurried
        job.kept = <clpy_emitter **>&self.emitter
        job.message = NULL
        job.out = NULL
        with nogil:
            fatal = guarded(emit, &job)
        if fatal != NULL:
            self.key = None  # its state is unknown now
            raise LLVMError(take(fatal))
        module.check()
        if job.out == NULL:
            raise LLVMError(take(job.message) or "no code")
        data = LLVMGetBufferStart(job.out)[:LLVMGetBufferSize(job.out)]
        LLVMDisposeMemoryBuffer(job.out)
        return data


cdef dict idle = {}
IDLE_LIMIT = 4  # machines kept per kind


@contextmanager
def machine(target, optimize=True):
    """A Machine for a Target (.triple, .cpu, .features), the caller's for the length of the block."""
    key = (target.triple, target.cpu, target.features, bool(optimize))
    free_ones = idle.setdefault(key, [])
    try:
        found = free_ones.pop()
    except IndexError:
        found = Machine(*key)
    try:
        yield found
    finally:
        if found.key is not None and len(free_ones) < IDLE_LIMIT:
            free_ones.append(found)
