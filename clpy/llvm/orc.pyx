# SPDX-License-Identifier: Apache-2.0
"""The JIT: native objects into executable memory with LLVM's ORC and JITLink, one JITDylib per program.

Machine code sees the C library's mathematics and what the runtime registered by name, and nothing else of the process:
a kernel that declares system() does not get it.
"""
from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint64_t, uintptr_t
from libc.stdlib cimport calloc, free
from libc.errno cimport errno
from libc.string cimport strerror
from posix.dlfcn cimport RTLD_LAZY, RTLD_LOCAL, dlopen, dlsym
from posix.mman cimport (MAP_ANONYMOUS, MAP_FAILED, MAP_PRIVATE, PROT_EXEC, PROT_READ, PROT_WRITE, mmap, mprotect,
                         munmap)
from clpy.llvm.capi cimport LLVMDisposeErrorMessage, LLVMErrorRef, LLVMGetErrorMessage
from clpy.llvm.capi cimport LLVMMemoryBufferRef, LLVMCreateMemoryBufferWithMemoryRange

from clpy.abi_layout import KERNEL_PREFIX
from clpy.llvm.module import LLVMError

cdef extern from "dlfcn.h" nogil:
    ctypedef struct Dl_info:
        const char *dli_fname
    int dladdr(const void *, Dl_info *)

cdef extern from "sched.h" nogil:
    int sched_yield()

cdef extern from "llvm-c/Target.h" nogil:
    void LLVMInitializeX86TargetInfo()
    void LLVMInitializeX86Target()
    void LLVMInitializeX86TargetMC()

cdef extern from "llvm-c/Orc.h" nogil:
    ctypedef void *LLVMOrcExecutionSessionRef
    ctypedef void *LLVMOrcSymbolStringPoolEntryRef
    ctypedef void *LLVMOrcJITDylibRef
    ctypedef void *LLVMOrcMaterializationUnitRef
    ctypedef void *LLVMOrcObjectLayerRef
    ctypedef struct LLVMJITSymbolFlags:
        uint8_t GenericFlags
        uint8_t TargetFlags
    ctypedef struct LLVMJITEvaluatedSymbol:
        uint64_t Address
        LLVMJITSymbolFlags Flags
    ctypedef struct LLVMOrcCSymbolMapPair:
        LLVMOrcSymbolStringPoolEntryRef Name
        LLVMJITEvaluatedSymbol Sym
    ctypedef struct LLVMOrcCJITDylibSearchOrderElement:
        LLVMOrcJITDylibRef JD
        int JDLookupFlags
    ctypedef struct LLVMOrcCLookupSetElement:
        LLVMOrcSymbolStringPoolEntryRef Name
        int LookupFlags
    int LLVMJITSymbolGenericFlagsExported
    int LLVMJITSymbolGenericFlagsCallable
    int LLVMOrcLookupKindStatic
    int LLVMOrcJITDylibLookupFlagsMatchAllSymbols
    int LLVMOrcSymbolLookupFlagsRequiredSymbol
    ctypedef void (*Reporter)(void *, LLVMErrorRef) noexcept
    ctypedef void (*Handler)(LLVMErrorRef, LLVMOrcCSymbolMapPair *, size_t, void *) noexcept
    void LLVMOrcExecutionSessionSetErrorReporter(LLVMOrcExecutionSessionRef, Reporter, void *)
    LLVMOrcSymbolStringPoolEntryRef LLVMOrcExecutionSessionIntern(LLVMOrcExecutionSessionRef, const char *)
    void LLVMOrcExecutionSessionLookup(LLVMOrcExecutionSessionRef, int, LLVMOrcCJITDylibSearchOrderElement *, size_t,
                                       LLVMOrcCLookupSetElement *, size_t, Handler, void *)
    LLVMOrcJITDylibRef LLVMOrcExecutionSessionCreateBareJITDylib(LLVMOrcExecutionSessionRef, const char *)
    LLVMErrorRef LLVMOrcJITDylibClear(LLVMOrcJITDylibRef)
    LLVMErrorRef LLVMOrcJITDylibDefine(LLVMOrcJITDylibRef, LLVMOrcMaterializationUnitRef)
    LLVMOrcMaterializationUnitRef LLVMOrcAbsoluteSymbols(LLVMOrcCSymbolMapPair *, size_t)
    void LLVMOrcDisposeMaterializationUnit(LLVMOrcMaterializationUnitRef)
    void LLVMConsumeError(LLVMErrorRef)

cdef extern from "llvm-c/LLJIT.h" nogil:
    ctypedef void *LLVMOrcLLJITRef
    ctypedef void *LLVMOrcLLJITBuilderRef
    ctypedef LLVMErrorRef (*LayerCreator)(void *, LLVMOrcExecutionSessionRef, const char *,
                                          LLVMOrcObjectLayerRef *) noexcept
    LLVMOrcLLJITBuilderRef LLVMOrcCreateLLJITBuilder()
    LLVMErrorRef LLVMOrcCreateLLJIT(LLVMOrcLLJITRef *, LLVMOrcLLJITBuilderRef)
    LLVMOrcExecutionSessionRef LLVMOrcLLJITGetExecutionSession(LLVMOrcLLJITRef)
    LLVMErrorRef LLVMOrcLLJITAddObjectFile(LLVMOrcLLJITRef, LLVMOrcJITDylibRef, LLVMMemoryBufferRef)

# Libraries whose functions machine code may call, and what it may call of libc.
LIBRARIES = (b"libm.so.6", b"libmvec.so.1", b"libgcc_s.so.1")
LIBC = frozenset(("memcpy", "memmove", "memset", "memcmp", "bcmp"))

cdef LLVMOrcLLJITRef jit = NULL
cdef LLVMOrcExecutionSessionRef session = NULL
cdef list free_dylibs = []          # addresses; ORC has no way to give one back from C, so they are used again
cdef size_t n_dylibs = 0
cdef dict runtime_symbols = {}      # name -> address
cdef dict library_symbols = {}      # name -> address, 0 for one that is not to be had


cdef int check(LLVMErrorRef error) except -1:
    cdef char *message
    if error != NULL:
        message = LLVMGetErrorMessage(error)
        why = message.decode("utf-8", "replace")
        LLVMDisposeErrorMessage(message)
        raise LLVMError(why)
    return 0


cdef void swallow(void *context, LLVMErrorRef error) noexcept nogil:
    """ORC would print it; the failing call returns it as well."""
    LLVMConsumeError(error)


cdef int start() except -1:
    """Make the process's one JIT. It is never torn down: code may run while the process ends."""
    global jit, session
    if jit != NULL:
        return 0
    LLVMInitializeX86TargetInfo()
    LLVMInitializeX86Target()
    LLVMInitializeX86TargetMC()
    check(LLVMOrcCreateLLJIT(&jit, LLVMOrcCreateLLJITBuilder()))
    session = LLVMOrcLLJITGetExecutionSession(jit)
    LLVMOrcExecutionSessionSetErrorReporter(session, swallow, NULL)
    return 0


def define_runtime(str name, uintptr_t address):
    """Let machine code call the runtime's function `name` (it begins with __clpy_)."""
    runtime_symbols[name] = address


cdef uintptr_t find(str name):
    """Address of what machine code may call under `name`, 0 if there is no such thing."""
    cdef void *handle
    cdef void *address
    cdef Dl_info info
    cdef bytes c_name = name.encode()
    if name in runtime_symbols:
        return runtime_symbols[name]
    known = library_symbols.get(name)
    if known is not None:
        return known
    found = 0
    for library in ((b"libc.so.6",) if name in LIBC else LIBRARIES):
        handle = dlopen(<bytes>library, RTLD_LAZY | RTLD_LOCAL)
        if handle == NULL:
            continue
        address = dlsym(handle, c_name)
        # dlsym also finds what the library itself is linked to, such as all of libc.
        if address != NULL and dladdr(address, &info) and info.dli_fname.rpartition(b"/")[2] == library:
            found = <uintptr_t>address
            break
    library_symbols[name] = found
    return found


def provides(str name):
    """Whether machine code that calls `name` gets something."""
    return find(name) != 0


def missing(names):
    """Those of the undefined symbols `names` that nothing provides. The runtime's own are taken for granted."""
    return [name for name in names if not name.startswith("__clpy_") and not find(name)]


def refusal():
    """Why memory that was written to cannot be made executable here, "" where it can: ORC does not say that."""
    cdef size_t page = 4096
    cdef void *at = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    cdef int code = 0
    if at == MAP_FAILED:
        return ""
    if mprotect(at, page, PROT_READ | PROT_EXEC) != 0:
        code = errno
    munmap(at, page)
    if not code:
        return ""
    return (f"the system refuses to execute what the process has written (mprotect: {strerror(code).decode()}), as "
            "MemoryDenyWriteExecute of systemd, seccomp filters and SELinux's execmem do: allow it to the program that "
            "runs kernels")


cdef struct Answer:
    LLVMErrorRef error
    uint64_t *addresses
    LLVMOrcSymbolStringPoolEntryRef *names
    size_t n
    bint done


cdef void answered(LLVMErrorRef error, LLVMOrcCSymbolMapPair *pairs, size_t n, void *context) noexcept nogil:
    """ORC's answer to a lookup: in any order."""
    cdef Answer *answer = <Answer *>context
    cdef size_t i, k
    answer.error = error
    if error == NULL:
        for i in range(n):
            for k in range(answer.n):
                if answer.names[k] == pairs[i].Name:
                    answer.addresses[k] = pairs[i].Sym.Address
    answer.done = True


cdef class Loaded:
    """Machine code of objects, executable as long as this exists."""
    cdef LLVMOrcJITDylibRef dylib
    cdef readonly dict addresses    # of the names that were looked up
    cdef set defined                # names that objects call and that have their addresses
    cdef readonly tuple objects     # their line tables are read after a fault
    cdef public list shown          # what a debugger knows of it (clpy/compiler/debugger.py)
    cdef public list kept           # memory that its objects refer to
    cdef object __weakref__

    def __init__(self, objects=(), undefined=(), wanted=()):
        global n_dylibs
        start()
        if free_dylibs:
            self.dylib = <LLVMOrcJITDylibRef><uintptr_t>free_dylibs.pop()
        else:
            n_dylibs += 1
            self.dylib = LLVMOrcExecutionSessionCreateBareJITDylib(session, b"program%d" % n_dylibs)
        self.addresses, self.defined, self.objects, self.kept = {}, set(), (), []
        self.load(objects, list(undefined), list(wanted))

    def load(self, objects, undefined, wanted, dict shared=None):
        """Load `objects`, beside those that are there. Their undefined symbols are `undefined`, but for those that are
        in others; `wanted` are the names to look up in them. Those in `shared` have their addresses there."""
        shared = shared or {}
        self.define({name: shared.get(name) or find(name) for name in undefined if name not in self.defined})
        self.defined.update(undefined)
        self.objects = (*self.objects, *objects)
        for one in objects:
            self.add(one)
        if wanted:
            self.addresses.update(self.lookup(list(wanted)))

    def __dealloc__(self):
        cdef LLVMErrorRef error
        if self.dylib == NULL:
            return
        self.shown = None
        with nogil:
            error = LLVMOrcJITDylibClear(self.dylib)
        if error != NULL:
            LLVMConsumeError(error)  # its memory is lost, and the dylib with it
        else:
            free_dylibs.append(<uintptr_t>self.dylib)

    cdef int define(self, dict found) except -1:
        """Give the dylib the addresses of what the objects call."""
        cdef list names = list(found)
        cdef size_t i, n = len(names)
        cdef LLVMOrcCSymbolMapPair *pairs
        cdef LLVMOrcMaterializationUnitRef unit
        cdef LLVMErrorRef error
        cdef bytes c_name
        lost = [name for name in names if not found[name]]
        if lost:
            raise LLVMError("undefined: " + ", ".join(lost))
        if not n:
            return 0
        pairs = <LLVMOrcCSymbolMapPair *>calloc(n, sizeof(LLVMOrcCSymbolMapPair))
        if pairs == NULL:
            raise MemoryError
        for i in range(n):
            c_name = names[i].encode()
            pairs[i].Name = LLVMOrcExecutionSessionIntern(session, c_name)
            pairs[i].Sym.Address = <uintptr_t>found[names[i]]
            pairs[i].Sym.Flags.GenericFlags = LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable
        unit = LLVMOrcAbsoluteSymbols(pairs, n)
        free(pairs)
        error = LLVMOrcJITDylibDefine(self.dylib, unit)
        if error != NULL:
            LLVMOrcDisposeMaterializationUnit(unit)
        return check(error)

    cdef int add(self, bytes object) except -1:
        """It is read where it is, now and when it is linked: `objects` keeps it."""
        cdef LLVMErrorRef error
        cdef const char *data = object
        cdef size_t size = len(object)
        with nogil:
            error = LLVMOrcLLJITAddObjectFile(
                jit, self.dylib, LLVMCreateMemoryBufferWithMemoryRange(data, size, b"program", False))
        return check(error)

    cdef dict lookup(self, list wanted):
        """Link the objects; {name: address}."""
        cdef size_t i, n = len(wanted)
        cdef Answer answer
        cdef LLVMOrcCJITDylibSearchOrderElement order
        cdef LLVMOrcCLookupSetElement *names = <LLVMOrcCLookupSetElement *>calloc(n, sizeof(LLVMOrcCLookupSetElement))
        cdef bytes c_name
        answer.addresses = <uint64_t *>calloc(n, sizeof(uint64_t))
        answer.names = <LLVMOrcSymbolStringPoolEntryRef *>calloc(n, sizeof(void *))
        answer.n = n
        answer.error = NULL
        answer.done = False
        order.JD = self.dylib
        order.JDLookupFlags = LLVMOrcJITDylibLookupFlagsMatchAllSymbols
        try:
            if names == NULL or answer.addresses == NULL or answer.names == NULL:
                raise MemoryError
            for i in range(n):
                c_name = wanted[i].encode()
                names[i].Name = answer.names[i] = LLVMOrcExecutionSessionIntern(session, c_name)
                names[i].LookupFlags = LLVMOrcSymbolLookupFlagsRequiredSymbol
            with nogil:
                LLVMOrcExecutionSessionLookup(session, LLVMOrcLookupKindStatic, &order, 1, names, n, answered, &answer)
                while not (<volatile bint *>&answer.done)[0]:
                    sched_yield()
            why = refusal() if answer.error != NULL else ""
            if why:
                LLVMConsumeError(answer.error)
                raise LLVMError(why)
            check(answer.error)
            return {wanted[i]: answer.addresses[i] for i in range(n)}
        finally:
            free(names)
            free(answer.addresses)
            free(answer.names)

    def line_finder(self):
        """The address of a find_line_fn (clpy/core/program.pxd) for its objects."""
        from clpy.llvm.lines import line_finder
        return line_finder()

    def address(self, str name):
        """Address of the kernel `name`."""
        return self.addresses[KERNEL_PREFIX + name]
