# SPDX-License-Identifier: Apache-2.0
"""Building programs for chips: what clpy.compiler.program is for the CPU device, with the same Units, Executables,
binaries and cache. An Executable's one object is the chip's code. What a kind of chips has of its own is a subclass."""
from clpy.compiler import binary, cache, foreign, program
from clpy.compiler.options import linked
from clpy.compiler.program import Clock, CompileError, Executable, Unit
from clpy.compiler.units import merge
from clpy.errors import CLError


class ChipProgram:
    """Without state: a process that links foreign bitcode has one of its own. `frontend` is the module with
    `arguments` and `compile_source`."""
    frontend = None
    pack = staticmethod(program.pack)
    source_of = staticmethod(program.source_of)

    def prepare(self, module):
        """Changes a module that comes from the front end."""

    def code(self, module, options, target, clock):
        """(The chip's code, KernelInfos of its kernels by name) of a linked module."""
        raise NotImplementedError

    def check(self, blob, infos, target):
        """ValueError where a blob is not the code of these kernels."""
        raise NotImplementedError

    def read_il(self, il, options, target):
        """The Module of a SPIR-V module."""
        raise NotImplementedError

    def compile_source(self, source, headers, options, target):
        """Unit of an OpenCL C source; `headers` are {name: text} as clCompileProgram gets them."""
        clock = Clock()
        module, log, portable = self.run_frontend(source, headers, options, target)
        unit = Unit(module.to_bitcode(), options, log, portable=portable)
        clock.lap("front end")
        clock.report("compile")
        return unit

    def run_frontend(self, source, headers, options, target):
        """(Module, log, portable)."""
        result = self.frontend.compile_source(source, headers or {}, options, target)
        if result.module is None:
            raise CompileError(result.log)
        self.prepare(result.module)
        return result.module, result.log, not result.reads_files

    def compile_il(self, il, options, target):
        """Unit of a SPIR-V module."""
        from clpy.compiler.il import options_for
        clock = Clock()
        options = options_for(options)
        unit = Unit(self.read_il(il, options, target).to_bitcode(), options)
        clock.lap("translator")
        clock.report("compile")
        return unit

    def build_il(self, il, options, target):
        """Executable of a SPIR-V module, from the cache if it is there."""
        from clpy.compiler import translator
        from clpy.compiler.il import options_for
        clock = Clock()
        options = options_for(options)
        key = cache.key(il, {}, [b"spirv", translator.stamp()], options, target)
        executable = self.cached(key, target, clock)
        if executable is not None:
            return executable
        module = self.read_il(il, options, target)
        clock.lap("translator")
        return self.finish_and_store(module, options, target, clock, key)

    def link(self, units, options, target):
        """Executable of the units; with -create-library a Unit that holds them all."""
        if any(unit.foreign for unit in units):
            return foreign.link(units, options, target, self.link)
        clock = Clock()
        module = merge(units)
        clock.lap("link")
        options = linked([unit.options for unit in units], options)
        if options.create_library:
            return Unit(module.to_bitcode(), options, kind=binary.LIBRARY)
        key = cache.key(module.to_bitcode(), {}, [b"link"], options, target)
        return self.cached(key, target, clock) or self.finish_and_store(module, options, target, clock, key)

    def build(self, source, options, target, headers=None):
        """Executable of a source, from the cache if it is there."""
        clock = Clock()
        args = self.frontend.arguments(options, target)
        key = cache.key(source, headers or {}, args, options, target)
        executable = self.cached(key, target, clock)
        if executable is not None:
            return executable
        module, log, portable = self.run_frontend(source, headers, options, target)
        clock.lap("front end")
        return self.finish_and_store(module, options, target, clock, key if portable else None, log)

    def cached(self, key, target, clock):
        return program.cached(key, target, clock, self.link)

    def unpack(self, blob, target):
        """Unit or Executable of a binary, as program.unpack; its machine code is one that can be read."""
        made = program.unpack(blob, target, self.link, self.build)
        if made.kind == binary.EXECUTABLE:
            try:
                code, = made.objects
                self.check(code, made.kernels, target)
            except ValueError as why:
                raise CLError(binary.CL_INVALID_BINARY, f"the chip's code cannot be read: {why}") from None
        return made

    def finish_and_store(self, module, options, target, clock, key, log=""):
        """Executable of a linked module, also into the cache under `key` (None: not)."""
        executable = self.finish(module, options, target, clock)
        executable.log = log
        if key is not None:
            cache.store(key, program.pack(executable, b"", target))
            clock.lap("store")
        clock.report("build")
        return executable

    def finish(self, module, options, target, clock):
        """From the module of a whole program to an Executable."""
        from clpy.llvm.module import LLVMError
        try:
            self.keep_kernels(module)
            ir = module.to_bitcode()
            clock.lap("bitcode")
            blob, infos = self.code(module, options, target, clock)
        except LLVMError as why:
            raise CompileError(f"error: the compiler failed: {why}\n") from None
        except ValueError as why:
            raise CompileError(f"error: the chip's code cannot be read: {why}\n") from None
        return Executable(ir, [blob], infos, options)
