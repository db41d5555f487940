# SPDX-License-Identifier: Apache-2.0
"""What the host needs to know of a kernel: its arguments, the layout of the argument block, its attributes, its memory.

Read from the spir kernel's IR, before lowering. Sizes of the lowered kernel (context, private, local) are filled in by
the pipeline.
"""
from clpy.abi_layout import (
    ARG_CONSTANT,
    ARG_GLOBAL,
    ARG_IMAGE,
    ARG_LOCAL,
    ARG_PIPE,
    ARG_QUEUE,
    ARG_SAMPLER,
    ARG_VALUE,
)
from clpy.llvm.opcodes import SPIR_KERNEL
from clpy.records import asdict, field, fields, record

# cl_kernel_arg_address_qualifier, cl_kernel_arg_access_qualifier, cl_kernel_arg_type_qualifier
ADDRESS_GLOBAL, ADDRESS_LOCAL, ADDRESS_CONSTANT, ADDRESS_PRIVATE = 0x119B, 0x119C, 0x119D, 0x119E
ACCESS = {"read_only": 0x11A0, "write_only": 0x11A1, "read_write": 0x11A2, "none": 0x11A3}
TYPE_QUALIFIER = {"const": 1, "restrict": 2, "volatile": 4, "pipe": 8}

NUM_SUB_GROUPS = "clpy.num_sub_groups"
QUEUE_SPACE = 7         # of the pointers that take the place of queues (compiler/device_queues.py)
GENERIC_SPACE = 4
# Address space of a pointer -> kind, address qualifier. Generic and private pointers cannot be arguments, but for what
# a block has captured.
SPACES = {1: (ARG_GLOBAL, ADDRESS_GLOBAL), 2: (ARG_CONSTANT, ADDRESS_CONSTANT), 3: (ARG_LOCAL, ADDRESS_LOCAL),
          QUEUE_SPACE: (ARG_QUEUE, ADDRESS_PRIVATE)}
QUEUES = ("queue_t", "opencl.queue_t")      # as translated SPIR-V says it, where a queue is a pointer
OPAQUE = {"spirv.Image": (ARG_IMAGE, ADDRESS_GLOBAL), "spirv.Sampler": (ARG_SAMPLER, ADDRESS_PRIVATE),
          "spirv.Pipe": (ARG_PIPE, ADDRESS_GLOBAL), "spirv.Queue": (ARG_QUEUE, ADDRESS_PRIVATE)}

KINDS = (ARG_VALUE, ARG_GLOBAL, ARG_CONSTANT, ARG_LOCAL, ARG_IMAGE, ARG_SAMPLER, ARG_PIPE, ARG_QUEUE)
ADDRESSES = (ADDRESS_GLOBAL, ADDRESS_LOCAL, ADDRESS_CONSTANT, ADDRESS_PRIVATE)
MOST_ALIGN, MOST_BYTES = 1 << 16, 1 << 31

# None of an argument's memory is that of another whose content may change: clpy/core/program.pxd says it in full.
DISTINCT_NOT, DISTINCT_READ, DISTINCT_WRITTEN = range(3)

HANDLE_SIZE = 8         # pointers, and what stands for images, samplers, ...
RANGE, GROUP, ROW = 0, 1, 2     # what a call of a kernel's function runs: KernelInfo.unit
BLOCK_ALIGN = 16        # of the argument block as a whole; loads from it may assume no more


@record(frozen=True)
class ArgInfo:
    """One argument. `size` is what clSetKernelArg expects (8 for __local: the size is free there); `align` of the
    argument in the block, for __local of the storage."""
    kind: int
    offset: int
    size: int
    align: int
    address_qualifier: int
    access_qualifier: int
    type_qualifier: int
    name: str
    type_name: str
    distinct: int = DISTINCT_NOT    # what the code takes for granted of its memory, and a launch has to see to
    format: int = 0                 # of an image, likewise: channel order (upper 16 bits) and type; a sampler; 0: any


@record(frozen=True)
class Site:
    """A place in a kernel that an observer is told of: `kind` is block, branch, memory or barrier.

    `line` in the source, 0 when unknown. Of a memory access: load, store or atomic, LLVM's number of the address space,
    the bytes per work-item (0: known at run time only). Of a block: [class, count] pairs of its instructions."""
    kind: str
    line: int = 0
    access: str = ""
    space: int = 0
    bytes: int = 0
    counts: list = field(default_factory=list)


@record
class KernelInfo:
    """One kernel. Byte counts: local per group (static __local variables), private and context per work-item.

    A kernel that does not see groups does the same however the range is cut into them: the last may be smaller."""
    name: str
    attributes: str = ""
    args: list = field(default_factory=list)
    args_size: int = 0
    reqd_size: tuple = (0, 0, 0)
    size_hint: tuple = (0, 0, 0)
    vec_hint: str = ""
    local_bytes: int = 0
    private_bytes: int = 0
    context_bytes: int = 0
    preferred_multiple: int = 1
    narrow_multiple: int = 1    # for a launch of few work-items: likewise, of its narrower vectors
    lane_dimension: int = 0     # along which work-items run as vectors: groups should be long there
    whole: tuple = (1, 1, 1)    # in each dimension groups have a multiple of so many work-items: launches see to it
    long_rows: bool = False     # it passes over memory once: rows of groups should be as long as they can
    sees_groups: bool = True
    may_spin: bool = True       # work-items may wait for each other through memory
    spins: bool = False         # work-groups wait in a loop for what others write
    in_doubt: bool = False      # some region may be faster the other way, as vectors or not
    is_block: bool = False      # what kernels enqueue: the host does not see it
    sub_group_size: int = 0     # of a kernel with functions of sub-groups; 0: it has none
    num_sub_groups: int = 0     # that its work-groups must have (SPIR-V); 0: it does not say
    sites: list = field(default_factory=list)   # what an observer's site numbers stand for
    unit: int = RANGE           # a call of its function runs a row of groups, or one, or one row of one (kernel_abi)
    facts: dict = field(default_factory=dict)   # what only its device understands: plain data (clpy.device.toolchain)

    @property
    def is_one_item(self):
        """Its work-groups must be of one work-item."""
        return self.reqd_size == (1, 1, 1)

    def take_whole(self, dimension, step):
        """`whole`, with a region more, whose vectors are `step` work-items along a dimension."""
        self.whole = tuple(max(n, step) if d == dimension else n for d, n in enumerate(self.whole))

    def to_dict(self):
        """Plain data for JSON."""
        return asdict(self)

    @staticmethod
    def from_dict(data):
        """The inverse of to_dict; ValueError when it is not that."""
        info = KernelInfo(**checked(data, KernelInfo))
        info.args = [ArgInfo(**checked(arg, ArgInfo)) for arg in info.args]
        info.sites = [Site(**checked(site, Site)) for site in info.sites]
        info.reqd_size = triple(info.reqd_size)
        info.size_hint = triple(info.size_hint)
        info.whole = triple(info.whole)
        check_layout(info)
        return info


def checked(data, cls):
    """`data`, if it is a dict with the fields of the record, each of the right kind."""
    kinds = {int: int, str: str, bool: bool, list: list, tuple: list, dict: dict}
    if not isinstance(data, dict) or set(data) != {f.name for f in fields(cls)}:
        raise ValueError(f"not a {cls.__name__}")
    for f in fields(cls):
        value = data[f.name]
        if type(value) is not kinds[f.type] or (type(value) is int and not 0 <= value < 2**63):
            raise ValueError(f"{cls.__name__}.{f.name}")
    return data


def check_layout(info):
    """ValueError where the host could not do with the kernel what it says of itself: arguments lie one behind the other
    in the block, and sizes are such that no sum of them overflows."""
    texts_in = [info.name, info.attributes, info.vec_hint]
    end = 0
    for arg in info.args:
        if (arg.kind not in KINDS or arg.address_qualifier not in ADDRESSES or arg.type_qualifier > 15
                or arg.access_qualifier not in ACCESS.values() or arg.distinct > DISTINCT_WRITTEN
                or arg.format >= 1 << 32 or (arg.format and arg.kind not in (ARG_IMAGE, ARG_SAMPLER))):
            raise ValueError("an argument of no kind")
        if arg.offset < end or (arg.kind != ARG_VALUE and arg.size != HANDLE_SIZE):
            raise ValueError("arguments that overlap, or of a wrong size")
        if not 0 < arg.align <= MOST_ALIGN or arg.align & (arg.align - 1):
            raise ValueError("an alignment that is none")
        end = arg.offset + arg.size
        texts_in += [arg.name, arg.type_name]
    if end > info.args_size or info.args_size > MOST_BYTES or info.args_size % BLOCK_ALIGN:
        raise ValueError("arguments beyond their block")
    if max(info.local_bytes, info.private_bytes, info.context_bytes, *info.reqd_size) > MOST_BYTES:
        raise ValueError("more memory than there can be")
    if any(info.reqd_size) and not all(info.reqd_size):
        raise ValueError("half a work-group size")
    if info.lane_dimension > 2 or max(info.preferred_multiple, info.sub_group_size) > MOST_ALIGN:
        raise ValueError("work-items in no dimension")
    if not all(0 < n <= MOST_ALIGN for n in info.whole):
        raise ValueError("groups of no size")
    if info.unit > ROW:
        raise ValueError("a function of no kind")
    if not info.name or any("\0" in text for text in texts_in):
        raise ValueError("a name that is none")
    "".join(texts_in).encode()


def triple(values):
    if len(values) != 3 or any(type(v) is not int or not 0 <= v < 2**63 for v in values):
        raise ValueError("not three sizes")
    return tuple(values)


def is_kernel(function):
    """Whether a Function is a kernel's definition."""
    return not function.is_declaration and function.call_conv == SPIR_KERNEL


def is_block(function):
    """Whether a Function is the kernel of a block, which kernels enqueue."""
    return (is_kernel(function) and function.n_params > 0 and function.params[0].type.is_pointer
            and function.params[0].type.address_space == GENERIC_SPACE)


def read_kernel(function, place=None):
    """KernelInfo of a kernel, as far as its declaration tells; `place` does what `place_of` does, for another
    target."""
    info = KernelInfo(function.name, is_block=is_block(function))
    info.args, info.args_size = read_args(function, place or place_of)
    info.reqd_size = sizes(function, "reqd_work_group_size")
    info.size_hint = sizes(function, "work_group_size_hint")
    hint = operands(function, "vec_type_hint")
    info.vec_hint = type_name(hint[0].type, hint[1].zext) if hint else ""
    info.attributes = " ".join([*attributes(info), *sub_group_attribute(function)])
    count = operands(function, NUM_SUB_GROUPS)
    info.num_sub_groups = count[0].zext if count else 0
    return info


def attributes(info):
    """As clGetKernelInfo(CL_KERNEL_ATTRIBUTES) reports them."""
    if any(info.reqd_size):
        yield "reqd_work_group_size({},{},{})".format(*info.reqd_size)
    if any(info.size_hint):
        yield "work_group_size_hint({},{},{})".format(*info.size_hint)
    if info.vec_hint:
        yield f"vec_type_hint({info.vec_hint})"


def sub_group_attribute(function):
    size = operands(function, "intel_reqd_sub_group_size")
    return [f"intel_reqd_sub_group_size({size[0].zext})"] if size else []


def required_sub_group_size(info):
    """That of the attribute; 0 where the kernel does not say."""
    size = info.attributes.partition("intel_reqd_sub_group_size(")[2].partition(")")[0]
    return int(size) if size.isdecimal() else 0


def read_args(function, place):
    """(list of ArgInfo, bytes of the block)."""
    names, types, accesses, qualifiers = (
        texts(function, "kernel_arg_" + kind) for kind in ("name", "type", "access_qual", "type_qual"))
    args, end = [], 0
    for i, param in enumerate(function.params):
        kind, space, size, align = place(function, i, param.type)
        if kind == ARG_GLOBAL and i < len(types) and types[i] in QUEUES:
            kind, space = ARG_QUEUE, ADDRESS_PRIVATE
        step = align if kind == ARG_VALUE else HANDLE_SIZE
        offset = -(-end // step) * step
        end = offset + size
        words = (qualifiers[i] if i < len(qualifiers) else "").split()
        args.append(ArgInfo(
            kind=ARG_PIPE if "pipe" in words else kind, offset=offset, size=size, align=align,
            address_qualifier=space,
            access_qualifier=ACCESS.get(accesses[i] if i < len(accesses) else "none", ACCESS["none"]),
            type_qualifier=sum(TYPE_QUALIFIER.get(word, 0) for word in words),
            name=names[i] if i < len(names) else "",
            type_name=types[i] if i < len(types) else ""))
    return args, -(-end // BLOCK_ALIGN) * BLOCK_ALIGN


def place_of(function, index, type_):
    """(kind, address qualifier, size, align) of a parameter."""
    if type_.is_pointer:
        struct = function.attribute_type("byval", index + 1)
        align = function.attribute_value("align", index + 1) or 1
        if struct is not None:
            return ARG_VALUE, ADDRESS_PRIVATE, struct.size, align
        kind, space = SPACES.get(type_.address_space, (ARG_GLOBAL, ADDRESS_GLOBAL))
        return kind, space, HANDLE_SIZE, align if kind == ARG_LOCAL else HANDLE_SIZE
    opaque = OPAQUE.get(type_.target_ext_name)
    if opaque:
        return (*opaque, HANDLE_SIZE, HANDLE_SIZE)
    return ARG_VALUE, ADDRESS_PRIVATE, type_.size, type_.align


def operands(function, kind):
    node = function.metadata(kind)
    if node is None:             # as most are; to import takes longer than to look
        return []
    from clpy.llvm.ir import md_operands
    return md_operands(node)


def texts(function, kind):
    from clpy.llvm.ir import md_text
    return [(md_text(op) if op is not None else None) or "" for op in operands(function, kind)]


def sizes(function, kind):
    """Three sizes; zeros when the kernel does not say."""
    given = [op.zext for op in operands(function, kind)]
    return tuple([*given, 1, 1, 1][:3]) if given else (0, 0, 0)


def type_name(type_, signed):
    """OpenCL C's name of an LLVM scalar or vector type."""
    scalar = type_.scalar
    names = {8: "char", 16: "short", 32: "int", 64: "long"}
    if scalar.is_int:
        name = ("" if signed else "u") + names.get(scalar.width, f"int{scalar.width}")
    else:
        name = str(scalar)
    return f"{name}{type_.count}" if type_.is_vector else name
