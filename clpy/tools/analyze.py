# SPDX-License-Identifier: Apache-2.0
"""`clpy analyze`: what kernels become on chips that are not here: registers, memory, occupancy, instructions."""
import math
import os

from clpy.tools import analyze_gen, analyze_tables, analyze_vliw
from clpy.tools.analyze_tables import GCN, data  # noqa: F401 (for the command)
from clpy.tools.problem import Problem

GROUP_SIZE = 256            # of kernels that do not ask for a size
MOST_GROUP_SIZE = 1024


class NotForThis(Problem):
    """A program that cannot be built for a chip."""


def add_arguments(made):
    made.add_argument("file", metavar="FILE.cl", help="OpenCL C; #include looks in its folder first")
    made.add_argument("--device", default="all", metavar="NAME,...", help="chips, or all (default)")
    made.add_argument("--options", default="", metavar="TEXT", help='of clBuildProgram, as in --options="-DN=4"')
    made.add_argument("--kernel", action="append", metavar="NAME", help="this kernel only; may be given several times")
    made.add_argument("--group-size", type=int, default=0, metavar="N",
                      help="work-items of a group, for the occupancy (default: what the kernel asks for, else "
                           f"{GROUP_SIZE}, or as many as the chip has)")
    made.add_argument("--isa", action="store_true", help="print the instructions beside the lines of the source")
    form = made.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print a JSON array")
    form.add_argument("--csv", action="store_true", help="print comma-separated values")


def chips(names, wrong=None):
    """The chips of a comma-separated list. Of all of them those whose files are right; `wrong` gets what is not."""
    from clpy.device.gpu import chip
    wanted = [plain(name) for name in names.split(",") if name.strip()]
    if not wanted:
        raise Problem("--device names no chip; there are: " + ", ".join(sorted(chip.files())))
    found = []
    for name in chip.compiled_for() if wanted == ["all"] else dict.fromkeys(wanted):
        try:
            found.append(chip.load(name))
        except chip.ChipError as error:
            if wanted != ["all"] or wrong is None:
                raise Problem(str(error)) from None
            wrong[name] = str(error)
    return found


def plain(name):
    """A chip's name; CLPY_DEVICES and `clpy devices` say gpu:NAME, or gpu."""
    from clpy.device.gpu import chip
    name = name.strip()
    return chip.DEFAULT if name == "gpu" else name.removeprefix("gpu:")


def one_chip(names):
    """(its name, what is wrong): one of the two is empty."""
    try:
        found = [chip.name for chip in chips(names)]
    except Problem as problem:
        return "", str(problem)
    return (found[0], "") if len(found) == 1 else ("", "--device: one chip at a time, not " + ", ".join(found))


def read_source(path):
    try:
        with open(path, "rb") as file:
            source = file.read()
    except OSError as error:
        raise Problem(f"{path}: {error.strerror}") from None
    if b"\0" in source:
        raise Problem(f"{path} is no text: the source of a program is wanted, in OpenCL C")
    return source


def built(source, path, chip, text):
    """IsaProgram and {name: KernelInfo} of a source. NotForThis where the chip is what is wrong with it, perhaps."""
    from clpy.compiler.options import parse_options
    from clpy.compiler.program import CompileError
    from clpy.device.gpu.toolchain import target_of, toolchain_of
    from clpy.errors import CLError
    processor = chip.identity.processor
    folder = os.path.dirname(os.path.abspath(path)).replace("\\", "\\\\").replace('"', '\\"')
    try:
        parse_options(text)
        target = target_of(chip)
        compiler = toolchain_of(chip, target).compiler()
        executable = compiler.build(source, parse_options(f'-I "{folder}" {text}'), target)
        return read(executable, chip), executable.kernels
    except CLError as error:
        raise Problem(f"--options: {error.why}") from None
    except CompileError as error:
        log = error.log.rstrip().replace("<source>", path)
        raise NotForThis(f"{path} cannot be built for {chip.name} ({processor}):\n{log}") from None
    except ValueError as error:
        raise Problem(f"{path}: code for {processor} cannot be read: {error}") from None


def read(executable, chip):
    """The IsaProgram."""
    if chip.is_gcn:
        from clpy.compiler.amdgpu import facts
        return facts.read_program(executable.objects[0], executable.kernels)
    if chip.is_gen:
        from clpy.compiler.gen import facts
    else:
        from clpy.compiler.r600 import facts
    return facts.read_program(executable.objects[0], executable.kernels, chip.identity.processor)


def analyze(args):
    """[row] of each kernel on each chip, the source, and the chips that it cannot be built for, as texts; a row is a
    dict of what its `table` names, with `program` and `isa`."""
    if not 0 <= args.group_size <= MOST_GROUP_SIZE:
        raise Problem(f"--group-size: a number from 1 to {MOST_GROUP_SIZE}")
    source, rows, programs, wrong = read_source(args.file), [], {}, {}
    for chip in chips(args.device, wrong):
        try:
            programs[chip.name], infos = built(source, args.file, chip, args.options)
        except NotForThis as problem:
            wrong[chip.name] = str(problem)
        else:
            rows += [row_of(chip, programs[chip.name], info, args.group_size) for info in infos.values()]
    if not programs:
        raise Problem(next(iter(wrong.values())))
    names = list(dict.fromkeys(row["kernel"] for row in rows))
    kept = chosen(names, args.kernel)
    order = {name: at for at, name in enumerate(names)}
    return sorted((row for row in rows if row["kernel"] in kept), key=lambda row: order[row["kernel"]]), source, [
        *wrong.values()]


def chosen(there, names):
    """Names of kernels, all where none is asked for; some chips may not have them."""
    if not there:
        raise Problem("there are no kernels")
    missing = [name for name in names or () if name not in there]
    if missing:
        raise Problem(f"there is no kernel {missing[0]}, only " + ", ".join(there))
    return set(names or there)


def row_of(chip, program, info, group_size):
    from clpy.abi_layout import ARG_LOCAL
    kernel = program.kernels[info.name]
    size = math.prod(info.reqd_size) or group_size or min(GROUP_SIZE, chip.opencl.max_work_group_size)
    try:
        row_on = gcn_row if chip.is_gcn else analyze_gen.row_of if chip.is_gen else analyze_vliw.row_of
        row = row_on(chip, program, kernel, size)
    except ValueError as error:
        raise Problem(f"kernel {info.name}: code for {program.processor} cannot be read: {error}") from None
    found = row["occupancy"]
    return {
        **row, "kernel": kernel.name, "device": chip.name, "processor": program.processor, "group_size": size,
        "lds_bytes": kernel.lds_bytes, "code_bytes": kernel.size,
        "local_arguments": sum(arg.kind == ARG_LOCAL for arg in info.args),
        "waves_per_simd": found.waves_per_cu / chip.compute.simds, "wave_slots": chip.wave_slots // chip.compute.simds,
        "occupancy": found.fraction, "program": program,
    }


def gcn_row(chip, program, kernel, size):
    """A row's own cells of a kernel on a GCN chip, in groups of `size` work-items."""
    from clpy.compiler.amdgpu import instruction_mix
    from clpy.device.gpu.occupancy import occupancy
    found = occupancy(chip, kernel.vgprs, kernel.sgprs, kernel.lds_bytes, size)
    listing = inside(program, kernel.entry, kernel.size)
    return {
        "table": GCN, "vgprs": kernel.vgprs, "sgprs": kernel.sgprs, "scratch_bytes": kernel.scratch_bytes,
        "vgpr_spills": kernel.vgpr_spills, "sgpr_spills": kernel.sgpr_spills, "occupancy": found,
        "limiter": found.limiter, **instruction_mix.count(listing), "isa": listing,
    }


def inside(program, start, size):
    return [i for i in program.listing if start <= i.offset < start + size]


def show_isa(rows, source):
    """The instructions of each kernel on each processor, beside the source, then functions that are called; of chips
    with one processor once, unless the program asks which it is."""
    lines = source.decode("utf-8", "replace").splitlines()
    parts, seen = [], {}
    shown = [("kernel", row["kernel"], row, row["isa"]) for row in rows]
    shown += [("function", name, row, inside(row["program"], *place))
              for row in {row["device"]: row for row in rows}.values() for name, place in functions(row["program"])]
    for kind, name, row, isa in shown:
        texts = [instruction.text for instruction in isa]
        before = seen.setdefault((kind, name, row["processor"]), [])
        if texts not in before:
            chip = f" ({row['device']})" if before else ""
            parts += [f"\n{kind} {name}, {row['processor']}{chip}", *beside(isa, lines)]
            before.append(texts)
    return "\n".join(parts)


def functions(program):
    """(name, (offset, size)) of the code that is no kernel's. Other chips have no calls."""
    if program.is_vliw or program.is_gen:
        return []
    return [(name, place) for name, place in sorted(program.symbols.items(), key=lambda item: item[1])
            if name not in program.kernels and place[1] and place[0] + place[1] <= len(program.text)]


def beside(listing, lines):
    """Lines with an instruction, and the line of the source where another one begins."""
    last = None
    for instruction in listing:
        text = f"  {instruction.offset:6x}  {instruction.text}"
        if instruction.line not in (0, last):
            last = instruction.line
            words = lines[last - 1].strip() if last <= len(lines) else ""
            text = f"{text:<72} ; {last}: {words}"
        yield text


def text(args, rows, source):
    """What the command prints, where it is no JSON."""
    if args.csv:
        return analyze_tables.comma_separated(rows)
    shown = analyze_tables.show(rows)
    return shown + "\n" + show_isa(rows, source) if args.isa else shown
