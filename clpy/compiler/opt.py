# SPDX-License-Identifier: Apache-2.0
"""Run passes of the compiler on a .ll file and print the result: `python -m clpy.compiler.opt --passes a,b FILE.ll`.

Exit code 0 when it worked, 1 when the input or a pass is wrong (with the reason on stderr), 2 for wrong usage.
"""
import sys

from clpy.compiler import cpu, pipeline, target

EXAMPLE = """example:
  python -m clpy.compiler.opt --passes division,inline,normal_form kernel.ll
  python -m clpy.compiler.opt --passes inline,normal_form,work_items --print-after-each - < kernel.ll
"""


def parser():
    import argparse
    names = [name for name, _ in pipeline.PASSES]
    lines = "\n".join(f"  {name:16}{doc}" for name, doc in pipeline.PASSES)
    p = argparse.ArgumentParser(prog="python -m clpy.compiler.opt", description=__doc__.split("\n\n")[0],
                                formatter_class=argparse.RawDescriptionHelpFormatter,
                                epilog=f"passes, in the order of the compiler:\n{lines}\n\n{EXAMPLE}")
    p.add_argument("file", metavar="FILE", help="LLVM assembly or an OpenCL C source (.cl); - is stdin, assembly")
    p.add_argument("--passes", type=lambda text: pass_list(text, names), default=names, metavar="A,B,...",
                   help="passes to run, in this order; all when not given")
    p.add_argument("--print-after-each", action="store_true", help="print the module after every pass")
    p.add_argument("--verify", action="store_true", help="check the module after every pass")
    p.add_argument("--no-optimize", action="store_true", help="as with -cl-opt-disable")
    p.add_argument("--lockstep", type=int, default=0, choices=[16, 32, 64], help="work-items of a lock-step wavefront")
    p.add_argument("--observed", action="store_true", help="wavefronts tell an observer what they do")
    p.add_argument("--isa", default="native", choices=["native", *cpu.ISA_LEVEL], help="instruction set")
    return p


def pass_list(text, names):
    chosen = [name for name in text.split(",") if name]
    wrong = [name for name in chosen if name not in names]
    if wrong:
        from argparse import ArgumentTypeError
        raise ArgumentTypeError(f"there is no pass {', '.join(wrong)}; passes: {', '.join(names)}")
    return chosen


def read_module(path):
    """Module of a .ll or .cl file."""
    from clpy.compiler import frontend, library
    from clpy.compiler.options import Options
    from clpy.llvm.module import Module
    if path == "-":
        return Module.from_text(sys.stdin.read(), "<stdin>")
    with open(path, "rb") as file:
        data = file.read()
    if not path.endswith(".cl"):
        return Module.from_text(data, path)
    result = frontend.compile_source(data, {}, Options(), target.host_target(), names=True)
    if result.module is None:
        raise ValueError(result.log)
    library.keep_kernels(result.module)
    library.link(result.module)
    return result.module


def main(argv=None):
    args = parser().parse_args(argv)
    from clpy.compiler.lowering import LoweringError
    from clpy.llvm import codegen
    from clpy.llvm.module import LLVMError

    def after_each(name, module):
        if args.print_after_each:
            print(f"; ----- after {name}\n{module.to_text()}")
        if args.verify and (wrong := module.verify()):
            raise LLVMError(f"after {name}: {wrong}")

    try:
        device = cpu.CpuTarget(isa=args.isa, lockstep=args.lockstep, observed=args.observed)
        module = read_module(args.file)
        with codegen.machine(device, not args.no_optimize) as machine:
            lowering = pipeline.prepare(module, device, machine, not args.no_optimize)
            pipeline.run(module, lowering, args.passes, after_each)
        if not args.print_after_each:
            print(module.to_text(), end="")
    except (OSError, ValueError, LLVMError, LoweringError) as why:
        print(f"clpy.compiler.opt: {why}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
