# SPDX-License-Identifier: Apache-2.0
"""An LLVM module and its context as one Python object: read, print, verify, link, run textual pass pipelines.

A Module owns its context; nothing of one module may be used in another. It is not thread-safe; long LLVM calls
release the GIL. LLVM's own error text becomes the message of LLVMError.
"""
from libc.stdint cimport uintptr_t
from clpy.llvm.capi cimport *
from clpy.llvm.guard cimport guarded_here, take


class LLVMError(Exception):
    """LLVM refused; the message is LLVM's."""


cdef void note_diagnostic(LLVMDiagnosticInfoRef info, void *owner) noexcept with gil:
    """Errors are kept for the exception; remarks and warnings of the optimizer are nobody's business here."""
    cdef char *text
    if LLVMGetDiagInfoSeverity(info) != LLVMDSError:
        return
    text = LLVMGetDiagInfoDescription(info)
    (<Module>owner).diagnostics += text.decode("utf-8", "replace") + "\n"
    LLVMDisposeMessage(text)


cdef str take_message(char *message):
    if message == NULL:
        return ""
    text = message.decode("utf-8", "replace")
    LLVMDisposeMessage(message)
    return text


ctypedef struct PassJob:
    LLVMModuleRef module
    const char *pipeline
    LLVMTargetMachineRef machine
    LLVMPassBuilderOptionsRef options
    LLVMErrorRef error


cdef void run_job(void *arg) noexcept nogil:
    cdef PassJob *job = <PassJob *>arg
    job.error = LLVMRunPasses(job.module, job.pipeline, job.machine, job.options)


cdef class Module:
    def __cinit__(self):
        self.context = NULL
        self.module = NULL
        self.diagnostics = ""

    def __dealloc__(self):
        with nogil:
            if self.module != NULL:
                LLVMDisposeModule(self.module)
            if self.context != NULL:
                LLVMContextDispose(self.context)

    @staticmethod
    cdef Module wrap(LLVMContextRef context, LLVMModuleRef module):
        cdef Module self = Module.__new__(Module)
        self.context = context
        self.module = module
        LLVMContextSetDiagnosticHandler(context, note_diagnostic, <void *>self)
        return self

    @staticmethod
    def create(str name="module"):
        """An empty module in a context of its own."""
        cdef LLVMContextRef context = LLVMContextCreate()
        return Module.wrap(context, LLVMModuleCreateWithNameInContext(name.encode(), context))

    @staticmethod
    def from_ref(uintptr_t context, uintptr_t module):
        """Take over the ownership of a context and a module made elsewhere (addresses as integers)."""
        return Module.wrap(<LLVMContextRef>context, <LLVMModuleRef>module)

    @staticmethod
    def from_text(text, str name="<text>"):
        """Parse LLVM assembly."""
        cdef bytes data = text.encode() if isinstance(text, str) else bytes(text)
        return parse(data, name.encode())

    @staticmethod
    def from_bitcode(data, str name="<bitcode>"):
        """Parse bitcode."""
        cdef bytes raw = bytes(data)
        if raw[:4] not in (b"BC\xc0\xde", b"\xde\xc0\x17\x0b"):
            raise LLVMError(f"{name}: not LLVM bitcode")
        return parse(raw, name.encode())

    cdef int check(self) except -1:
        """Raise what the diagnostic handler collected."""
        if self.diagnostics:
            text, self.diagnostics = self.diagnostics.strip(), ""
            raise LLVMError(text)
        return 0

    @property
    def ref(self):
        """LLVMModuleRef as an integer; the Module stays the owner."""
        return <uintptr_t>self.module

    @property
    def context_ref(self):
        """LLVMContextRef as an integer; the Module stays the owner."""
        return <uintptr_t>self.context

    @property
    def triple(self):
        return LLVMGetTarget(self.module).decode()

    def set_triple(self, str triple):
        cdef bytes text = triple.encode()
        LLVMSetTarget(self.module, text)

    @property
    def datalayout(self):
        return LLVMGetDataLayoutStr(self.module).decode()

    def set_datalayout(self, str layout):
        cdef bytes text = layout.encode()
        LLVMSetDataLayout(self.module, text)

    def drop_names(self):
        """Values lose their names, and new ones get none: to keep them unique takes up to half of LLVM's time."""
        LLVMContextSetDiscardValueNames(self.context, True)
        self.run_passes("strip-nondebug")

    def to_text(self):
        cdef char *text
        with nogil:
            text = LLVMPrintModuleToString(self.module)
        return take_message(text)

    def to_bitcode(self):
        cdef LLVMMemoryBufferRef buf
        with nogil:
            buf = LLVMWriteBitcodeToMemoryBuffer(self.module)
        data = LLVMGetBufferStart(buf)[:LLVMGetBufferSize(buf)]
        LLVMDisposeMemoryBuffer(buf)
        return data

    def verify(self):
        """LLVM's complaints about the module; an empty string when it is well-formed."""
        cdef char *message = NULL
        cdef LLVMBool broken
        with nogil:
            broken = LLVMVerifyModule(self.module, LLVMReturnStatusAction, &message)
        text = take_message(message)
        return (text or "broken module") if broken else ""

    def clone(self):
        """A copy in a context of its own."""
        return Module.from_bitcode(self.to_bitcode())

    def link(self, Module other):
        """Link a copy of `other` into this module; `other` stays as it was."""
        self.link_bitcode(other.to_bitcode())

    def link_bitcode(self, data):
        """Link the module in `data` into this one."""
        cdef bytes raw = bytes(data)
        cdef LLVMModuleRef source = self.parse_here(raw, b"<linked>")
        cdef LLVMBool failed
        with nogil:
            failed = LLVMLinkModules2(self.module, source)  # frees source
        self.check()
        if failed:
            raise LLVMError("linking failed")

    cdef LLVMModuleRef parse_here(self, bytes data, bytes name) except NULL:
        cdef const char *start = data
        cdef size_t size = len(data)
        cdef LLVMMemoryBufferRef buf = LLVMCreateMemoryBufferWithMemoryRangeCopy(start, size, name)
        cdef LLVMModuleRef module = NULL
        cdef char *message = NULL
        cdef LLVMBool failed
        with nogil:
            failed = LLVMParseIRInContext2(self.context, buf, &module, &message)  # reads, does not free
            LLVMDisposeMemoryBuffer(buf)
        text = take_message(message)
        self.diagnostics, noted = "", self.diagnostics
        if failed or module == NULL:
            raise LLVMError((text or noted or "unreadable module").strip())
        return module

    def run_passes(self, str passes, uintptr_t target_machine=0, *, bint loop_vectorize=True, bint slp_vectorize=True,
                   bint verify_each=False):
        """Run a pipeline in the notation of `opt -passes=`. `target_machine` is an LLVMTargetMachineRef."""
        cdef bytes text = passes.encode()
        cdef const char *pipeline = text
        cdef LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions()
        cdef PassJob job
        cdef char *fatal
        LLVMPassBuilderOptionsSetLoopVectorization(options, loop_vectorize)
        LLVMPassBuilderOptionsSetLoopInterleaving(options, loop_vectorize)
        LLVMPassBuilderOptionsSetSLPVectorization(options, slp_vectorize)
        LLVMPassBuilderOptionsSetVerifyEach(options, verify_each)
        job.module, job.pipeline, job.options = self.module, pipeline, options
        job.machine, job.error = <LLVMTargetMachineRef>target_machine, NULL
        with nogil:
            fatal = guarded_here(run_job, &job)
            LLVMDisposePassBuilderOptions(options)
        if fatal != NULL:
            self.module, self.context = NULL, NULL  # in an unknown state: lost
            raise LLVMError(take(fatal))
        if job.error != NULL:
            message = LLVMGetErrorMessage(job.error)
            why = message.decode("utf-8", "replace")
            LLVMDisposeErrorMessage(message)
            raise LLVMError(why)
        self.check()


cdef Module parse(bytes data, bytes name):
    cdef Module self = Module.wrap(LLVMContextCreate(), NULL)
    self.module = self.parse_here(data, name)
    return self
