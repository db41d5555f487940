# SPDX-License-Identifier: Apache-2.0
"""`clpy stages`: one kernel's IR after each pass, as short as it can be read; `clpy bisect`: which pass breaks it."""
import os
import re
import sys

from clpy.tools import compiled
from clpy.tools.problem import Problem

PIPELINE = "clpy.compiler.pipeline"
ITEM, GROUP = "<frame of a work-item>", "<frame of a group>"
# Attributes, metadata and comments: none of it is what a pass is read for.
NOISE = re.compile(r"^; Function Attrs:.*\n| *; preds = .*|,? ![a-z][\w.]* !\d+| #\d+(?=[ ,]|$)|"
                   r"\b(?:(?:noundef|nonnull|writeonly|readonly|readnone|captures\(\w+\)|align \d+) )+(?=[-%@<\d])",
                   re.MULTILINE)


def add_arguments(parser):
    parser.add_argument("file", metavar="FILE", help="OpenCL C (.cl) or LLVM assembly (.ll)")
    parser.add_argument("--kernel", metavar="K", help="this kernel; the only one where not given")
    parser.add_argument("--pass", action="append", dest="passes", metavar="NAME",
                        help="after this pass, may be given several times; after each that changed it where not given")
    parser.add_argument("--function", dest="named", default="", metavar="TEXT", help="functions with this in the name")
    parser.add_argument("--isa", default="native", help="instruction set: native, sse4.2, avx2 or avx512")
    parser.add_argument("--lockstep", type=int, default=0, choices=(0, 16, 32, 64), help="as wavefronts of so many")


def add_bisect_arguments(parser):
    import argparse
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="-- PROGRAM ...",
                        help="a program that fails, by its exit code, where a kernel is wrong")


def short(text):
    """A function without what is the same in all of them."""
    from clpy.compiler import frame
    types = {"local": "ptr addrspace(3)", "launch": "ptr", "context": "ptr"}
    for names, word in ((frame.ITEM_FRAME, ITEM), (frame.GROUP_FRAME, GROUP)):
            text = text.replace(", ".join(f"{types.get(name, 'i64')} %{name}" for name in names), word)
    return NOISE.sub("", text).strip()


def functions_of(module, kernel):
    """The text of what a kernel is made of now: itself, its regions and their forms, its entry."""
    from clpy.abi_layout import KERNEL_PREFIX
    from clpy.compiler import frame
    from clpy.llvm.ir import functions
    own = [f for f in functions(module) if not f.is_declaration and (
        f.name in (kernel, KERNEL_PREFIX + kernel) or f.attribute_text(frame.KERNEL) == kernel)]
    return {f.name: short(str(f)) for f in own}


def stages(args):
    """Yield (pass, its text of the list, {function: text}) for each stage to be shown."""
    from clpy.compiler import cpu, opt, pipeline
    from clpy.llvm import codegen
    docs = dict(pipeline.PASSES)
    unknown = [name for name in args.passes or () if name not in docs]
    if unknown:
        raise Problem(f"there is no pass {', '.join(unknown)}; passes: {', '.join(docs)}")
    if args.isa not in ("native", *cpu.ISA_LEVEL):
        raise Problem(f"there is no instruction set {args.isa}; there are native, {', '.join(cpu.ISA_LEVEL)}")
    module, target = opt.read_module(args.file), cpu.CpuTarget(isa=args.isa, lockstep=args.lockstep)
    kernels = sorted(pipeline.read_kernels(module))
    kernel = args.kernel or (kernels[0] if len(kernels) == 1 else None)
    if kernel not in kernels:
        raise Problem(f"--kernel: one of {', '.join(kernels)}" if kernels else f"{args.file} has no kernel")
    found, before = [], functions_of(module, kernel)
    if not args.passes:
        found.append(("", "as the front end makes it", before))

    def after_each(name, module):
        nonlocal before
        now = functions_of(module, kernel)
        if name in args.passes if args.passes else now != before:
            found.append((name, docs[name], now))
        before = now

    with codegen.machine(target, True) as machine:
        pipeline.run(module, pipeline.prepare(module, target, machine, True), after_each=after_each)
    return found


def show(args):
    from clpy.compiler.lowering import LoweringError
    from clpy.llvm.module import LLVMError
    try:
        for name, doc, made in stages(args):
            print(f"; {name}{': ' if name else ''}{doc}")
            for function, text in made.items():
                if args.named in function:
                    print(text, end="\n\n")
    except (OSError, ValueError, LLVMError, LoweringError) as why:
        raise Problem(f"{args.file}: {why}") from None
    return 0


def works(command, skipped):
    """Whether the program ends well where these passes are left out."""
    import subprocess

    from clpy.tools.icd_file import variables
    env = {**os.environ, **variables(False), "CLPY_CACHE": "off", "CLPY_SKIP_PASSES": ",".join(skipped)}
    return subprocess.run(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def bisect(args):
    from clpy.tools import program  # which the library's interpreter, where IR is shown, cannot import
    command = program.given(args, "bisect")
    try:
        if works(command, ()):
            print("the program works with all passes")
            return 0
    except OSError as error:
        raise Problem(f"{command[0]}: {error.strerror}") from None
    print("the program fails with all passes")
    docs, optional = dict(compiled.ask(PIPELINE, "PASSES")), compiled.ask(PIPELINE, "OPTIONAL")
    guilty = [name for name in optional if works(command, [name])]
    for name in guilty:
        print(f"it works without {name}: {docs[name]}")
    if not guilty and works(command, optional):
        print(f"it works without all of {', '.join(optional)}, and not without a single one of them")
    elif not guilty:
        print(f"it fails without {', '.join(optional)} too: what is left are passes that every kernel needs")
    sys.stdout.flush()
    return 0 if guilty else 1
