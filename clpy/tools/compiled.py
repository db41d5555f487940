# SPDX-License-Identifier: Apache-2.0
"""What the command needs of clpy's compiled modules. The Python that runs it may have none of them: a wheel is for any
Python. The interpreter in the library has them all, and is beside it as a program."""
import functools
import importlib
import importlib.util
import json
import os
import sys
from types import SimpleNamespace

from clpy.tools.problem import Problem, reported

PROGRAM = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "clpy-python")
START = "import sys; from clpy.tools import compiled; sys.exit(compiled.{}(*sys.argv[1:]))"


def is_here():
    """Whether this Python has them."""
    return importlib.util.find_spec("clpy.secure_mode") is not None


def program(function, *texts):
    return [PROGRAM, START.format(function), *texts]


def command(function):
    """A function of the arguments of a command, called by who has the modules; its exit code."""
    @functools.wraps(function)
    def called(args):
        if is_here():
            return function(args)
        import subprocess  # which the library's interpreter has not
        values = {name: value for name, value in vars(args).items() if name != "function"}
        sys.stdout.flush()
        return subprocess.run(program("run", function.__module__, function.__name__, json.dumps(values)),
                              check=False).returncode
    return called


def run(module, name, values):
    """In the library's interpreter: a command, as its own main function has it."""
    function = getattr(importlib.import_module(module), name)
    return reported(function, SimpleNamespace(**json.loads(values)))


def ask(module, name, *arguments):
    """A value of a module, or of its function where there are arguments; something that JSON has."""
    if is_here():
        return value(module, name, arguments)
    import subprocess
    done = subprocess.run(program("tell", module, name, json.dumps(arguments)), check=False, stdout=subprocess.PIPE)
    if done.returncode:
        raise Problem(f"{PROGRAM} ends with {done.returncode}")
    return json.loads(done.stdout)


def value(module, name, arguments):
    found = getattr(importlib.import_module(module), name)
    return found(*arguments) if arguments else found


def tell(module, name, arguments):
    """In the library's interpreter: the answer to `ask`."""
    print(json.dumps(value(module, name, json.loads(arguments))))
    return 0
