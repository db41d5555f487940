# SPDX-License-Identifier: Apache-2.0
"""What makes code for a device: the interface that clpy.core.build and clpy.core.specialize ask, and nothing else.

A device has one, Device.toolchain, which its sub-devices share. What it makes is its own business; the core looks at

    a product       `kind` (cl_program_binary_type), `log` (text for the build log), `options` (clpy.compiler.options);
                    of an executable also `kernels`, {name: clpy.compiler.metadata.KernelInfo}. An object or a library
                    is linked later, an executable is loaded.
    what is loaded  `address(kernel name)`: its entry, a clpy_kernel_fn. The code is there as long as this object.
                    0 where the kernel waits for its code: `make_kernel` makes it when somebody needs to know more of it
                    than its name, its arguments and its attributes.
    a target        one for each kind of context: devices for which it is the same object share what is built.

A wrong program raises clpy.errors.CompileError with what its author should read; options and binaries that are not for
this device raise CLError. All else that is raised gives the build up and is shown as an error of clpy. Methods are
called from any thread, from several at once, and may let the interpreter's lock go. None is called before the first
program comes, so this is the place to import a compiler, in the methods and not before.

A toolchain may put what only its device understands into KernelInfo.facts: plain data, which is kept in binaries too.
The device makes what it likes of it when code is loaded (DeviceOps.make_facts) and finds that in the Launch.
"""

from clpy.errors import CompileError


class Toolchain:
    """Each device has a subclass of this."""

    makes_kernels = False       # its executables may have kernels that wait for their code

    def target(self, initialize):
        """The target for contexts that want so much memory cleared (CL_CONTEXT_MEMORY_INITIALIZE_*; 0: none). Always
        the same object for the same bits."""
        raise NotImplementedError

    # ---- products

    def build(self, source, options, target):
        """An executable of an OpenCL C source (bytes)."""
        raise NotImplementedError

    def compile(self, source, headers, options, target):
        """An object; `headers` are {name: bytes} that the source may include."""
        raise NotImplementedError

    def build_il(self, il, options, target):
        """An executable of a SPIR-V module (bytes), whose specialization constants have their values."""
        raise NotImplementedError

    def compile_il(self, il, options, target):
        """An object of a SPIR-V module."""
        raise NotImplementedError

    def build_assembly(self, text, options, target):
        """An executable of assembly (bytes) of the device's instructions."""
        raise CompileError("error: this device takes no assembly\n")

    def link(self, products, options, target):
        """An executable of objects and libraries that this toolchain made; a library where the options say so."""
        raise NotImplementedError

    def make_kernel(self, product, loaded, name, target, any_groups, likely, formats):
        """An executable with the kernel `name` of another one, in which it waits for its code, and of which `load` gave
        `loaded`. It takes the same
        arguments; `any_groups`: a launch needs it whose groups may be no multiple of any size (KernelInfo.whole). Those
        of the names `likely` will be needed soon, and may be in it, too. It may be for images of these `formats` alone
        (as below), if it says so (ArgInfo.format)."""
        raise NotImplementedError

    def specialize(self, product, name, size, target, formats):
        """An executable with the kernel `name` of another one, for work-groups of `size` and images of these `formats`
        alone, {index of the argument: (channel order, type, pixel's bytes)}, of a sampler the halves of its number and
        0. It takes the same arguments and no more memory. None where there is none, or it would not pay."""
        return None

    def made_ns(self, product):
        """Nanoseconds of a processor that a kernel of it took to make; 0 where that is not known."""
        return 0

    def recalls(self, product):
        """Whether what `specialize` makes of it may be at hand, as the product itself was."""
        return False

    def recall(self, product, name, size, target, formats):
        """What `specialize` made of the product before, in this process or another. None where it is not at hand."""
        return None

    def is_in_doubt(self, special, product, name, size, target, formats):
        """Whether `other_way` might make faster code than `special`, which `specialize` or `recall` gave for the same
        product, size and formats (None: nothing), and that is not known yet."""
        return False

    def other_way(self, product, name, size, target, formats):
        """What `specialize` does, with the other choice where the toolchain could not tell which is faster. It does the
        same, to the last bit. None where there is none."""
        return None

    def settle(self, product, name, size, target, formats, other_won):
        """It is known now: `recall` gives the faster one."""

    def forget_special(self, product, name, size, target, formats):
        """What `specialize` made of the product proved to be no faster: it is not to be recalled."""

    def general(self, product, name, target):
        """An executable with the kernel `name` of another one, whose code takes the memory of arguments to be distinct
        (ArgInfo.distinct), and which does not. It takes the same arguments and as much local memory. None where there
        is none: launches with memory in common fail then."""
        return None

    def any_groups(self, product, name, target):
        """An executable with the kernel `name` of another one, whose code takes groups to be a multiple of some size
        (KernelInfo.whole), and which does not. Else like `general`."""
        return None

    # ---- code

    def load(self, product, target):
        """The code of an executable, in memory and ready to run."""
        raise NotImplementedError

    def variable_bytes(self, product):
        """Storage of an executable's variables of the program (CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE)."""
        return 0

    # ---- binaries

    def pack(self, product, source, target):
        """The binary of a product, with the source (b"" for none)."""
        raise NotImplementedError

    def unpack(self, binary, target):
        """The product of a binary; CLError(CL_INVALID_BINARY) for one that is damaged or not for this device."""
        raise NotImplementedError

    def source_in(self, binary):
        """The source that a binary carries, b"" for none."""
        raise NotImplementedError


class CompilerToolchain(Toolchain):
    """Of a device whose compiler is a module with the functions of clpy.compiler.program. `plain` is the target of
    contexts that want nothing cleared."""
    binary_parts = ("source", "llvmir", "exe")      # of binaries, where the options do not say which

    def __init__(self, plain):
        self.plain = plain

    def compiler(self):
        """The module, imported now."""
        raise NotImplementedError

    def target(self, initialize):
        return self.plain.initializing(initialize)

    def build(self, source, options, target):
        return self.compiler().build(source, options, target)

    def compile(self, source, headers, options, target):
        return self.compiler().compile_source(source, headers, options, target)

    def build_il(self, il, options, target):
        return self.compiler().build_il(il, options, target)

    def compile_il(self, il, options, target):
        return self.compiler().compile_il(il, options, target)

    def link(self, products, options, target):
        return self.compiler().link(products, options, target)

    def variable_bytes(self, product):
        from clpy.compiler import binary
        return binary.variable_bytes(*product.objects)

    def pack(self, product, source, target):
        return self.compiler().pack(product, source, target, product.options.parts_of_binary(self.binary_parts))

    def unpack(self, binary, target):
        return self.compiler().unpack(binary, target)

    def source_in(self, binary):
        return self.compiler().source_of(binary)
