# SPDX-License-Identifier: Apache-2.0
"""The command `clpy`. Exit codes: 0 done, 1 it could not be done (the reason is on stderr), 2 wrong usage."""
import json
import os
import shlex
import sys

from clpy import __version__
from clpy.tools import compiled
from clpy.tools.problem import Problem, reported


def print_result(args, data, text):
    print(json.dumps(data, indent=2) if args.json else text)


def icd(args):
    from clpy.tools import icd_file
    scope = args.scope
    path = (icd_file.install if args.action == "install" else icd_file.remove)(scope)
    data = {"action": args.action, "scope": scope, "path": str(path) if path else None}
    if args.action == "remove":
        print_result(args, data, f"removed {path}" if path else "there was nothing to remove")
        return 0
    data["library"] = str(icd_file.library())
    reader = {"system": "every program on this machine finds clpy now",
              "venv": "pyopencl in this environment finds clpy now",
              "user": f"programs find clpy where OCL_ICD_VENDORS={path.parent} is set: put that line, with `export`, "
                      "into your shell's start file"}[scope]
    print_result(args, data, f"wrote {path}\n{reader}")
    return 0


def env(args):
    from clpy.tools import icd_file
    values = icd_file.variables(args.only)
    form = {"sh": "export {}={}", "fish": "set -gx {} {};", "csh": "setenv {} {};"}[args.shell]
    print_result(args, values, "\n".join(form.format(name, shlex.quote(value)) for name, value in values.items()))
    return 0


def run(args):
    from clpy.tools import icd_file, program
    command = program.given(args, "run")
    try:
        os.execvpe(command[0], command, {**os.environ, **icd_file.variables(args.only)})
    except OSError as error:
        print(f"clpy: {command[0]}: {error.strerror}", file=sys.stderr)
        return 127 if isinstance(error, FileNotFoundError) else 126


def doctor(args):
    from clpy.tools import doctor as module
    report = module.examine()
    print_result(args, report, module.show(report))
    return 0 if report["ran"] else 1


def info(args):
    from clpy.tools import info as module
    from clpy.tools.probe import Failed
    try:
        found = module.devices()
    except Failed as error:
        raise Problem(str(error)) from None
    if not found:
        raise Problem("there are no devices")
    print_result(args, found, module.show(found))
    return 0


@compiled.command
def devices(args):
    from clpy.tools import devices as module
    print_result(args, *module.run(args))
    return 0


@compiled.command
def analyze(args):
    from clpy.tools import analyze as module
    rows, source, wrong = module.analyze(args)
    print_result(args, module.data(rows, args.isa), module.text(args, rows, source))
    for problem in wrong:
        print(f"clpy: {problem}", file=sys.stderr)
    return 1 if wrong else 0


def profile(args):
    from clpy.tools import profile as module
    return module.profile(args)


def trace(args):
    from clpy.tools import timeline as module
    return module.trace(args)


@compiled.command
def stages(args):
    from clpy.tools import stages as module
    return module.show(args)


def bisect(args):
    from clpy.tools import stages as module
    return module.bisect(args)


def command(commands, name, function, doc, example):
    made = commands.add_parser(name, help=doc, description=doc, epilog=f"example: {example}")
    made.set_defaults(function=function, json=False)
    return made


def add_icd_arguments(made):
    made.add_argument("action", choices=("install", "remove"))
    scope = made.add_mutually_exclusive_group(required=True)
    for name, doc in (("user", "a folder of this user, for OCL_ICD_VENDORS"),
                      ("venv", "pyopencl in the Python environment that runs this"),
                      ("system", "/etc/OpenCL/vendors, for all users")):
        scope.add_argument(f"--{name}", dest="scope", action="store_const", const=name, help=doc)
    made.add_argument("--json", action="store_true", help="print a JSON object")


ACTIONS = {"enable": "show these too", "disable": "no longer show these", "order": "show these first, in this order",
           "reset": "forget what was chosen"}


def add_devices_arguments(made):
    import argparse
    made.add_argument("--json", action="store_true", help="print a JSON object")
    actions = made.add_subparsers(dest="action", metavar="ACTION", help="nothing: list them")
    for name, doc in ACTIONS.items():
        action = actions.add_parser(name, help=doc, description=doc.capitalize() + ".",
                                    epilog=f"example: clpy devices {name}" + ("" if name == "reset" else " gpu:hawaii"))
        action.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print a JSON object")
        if name != "reset":
            action.add_argument("names", nargs="+", metavar="NAME", help="as clpy devices lists it")


def parser():
    import argparse
    top = argparse.ArgumentParser(prog="clpy", description="Installs, examines and runs the OpenCL platform clpy.",
                                  epilog="example: clpy doctor")
    top.add_argument("--version", action="version", version=f"clpy {__version__}")
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    add_icd_arguments(command(commands, "icd", icd, "Make loaders find clpy, or no longer.",
                              "clpy icd install --user"))

    made = command(commands, "env", env, "Print the variables with which programs of this shell find clpy.",
                   'eval "$(clpy env)"')
    made.add_argument("--only", action="store_true", help="clpy alone, without the platforms of the system")
    made.add_argument("--shell", choices=("sh", "fish", "csh"), default="sh", help="for this kind of shell")
    made.add_argument("--json", action="store_true", help="print a JSON object")

    made = command(commands, "run", run, "Run a program that finds clpy.", "clpy run -- clinfo -l")
    made.add_argument("--only", action="store_true", help="clpy alone, without the platforms of the system")
    made.add_argument("command", nargs=argparse.REMAINDER, metavar="-- PROGRAM ...",
                      help="the program and its arguments")

    made = command(commands, "doctor", doctor, "Find out whether programs can use clpy: loaders, folders, files, a "
                   "kernel that runs. Exit code 1 unless it ran.", "clpy doctor")
    made.add_argument("--json", action="store_true", help="print a JSON object")

    made = command(commands, "info", info, "Show the devices.", "clpy info --json")
    made.add_argument("--json", action="store_true", help="print a JSON array")

    add_devices_arguments(command(commands, "devices", devices, "List the devices that there are; choose, for good, "
                                  "which of them programs see, and which is the default.",
                                  "clpy devices enable gpu:hawaii"))

    from clpy.tools import analyze as analyzer
    made = command(commands, "analyze", analyze, "What kernels become on GPUs that are not here: registers, memory, "
                   "occupancy, instructions.", "clpy analyze kernels.cl --device tahiti,hawaii --isa")
    analyzer.add_arguments(made)

    from clpy.tools import profile as profiler
    made = command(commands, "profile", profile, "Run a program on the model of a GPU: time and counters of each "
                   "launch. The exit code is the program's.", "clpy profile --device hawaii --json -- ./my-program")
    profiler.add_arguments(made)

    from clpy.tools import timeline
    made = command(commands, "trace", trace, "Run a program and tell what its commands and builds took: a table, and "
                   "a timeline to look at. The exit code is the program's.",
                   "clpy trace --timeline t.json -- ./my-program")
    timeline.add_arguments(made)

    from clpy.tools import stages as stager
    made = command(commands, "stages", stages, "One kernel's IR after each pass of the compiler.",
                   "clpy stages kernels.cl --kernel scale --pass regions")
    stager.add_arguments(made)
    made = command(commands, "bisect", bisect, "Which pass of the compiler, left out, makes a program work that fails. "
                   "Exit code 1 where none does.", "clpy bisect -- ./my-program")
    stager.add_bisect_arguments(made)
    return top


def main(argv=None):
    """Returns the exit code."""
    args = parser().parse_args(argv)
    return reported(args.function, args)


if __name__ == "__main__":
    sys.exit(main())
