# SPDX-License-Identifier: Apache-2.0
"""Translated programs as objects of the host: from the cache, or translated, optimized and compiled now."""
import json
from dataclasses import dataclass, field
from hashlib import blake2b

from clpy.compiler import binary, cache
from clpy.compiler.amdgpu import facts
from clpy.errors import CompileError
from clpy.trace import trace

LENGTH = 8               # bytes of the number before a cache entry's facts
PASSES = "function(sroa,early-cse,instcombine,simplifycfg),cgscc(inline),function(sroa,early-cse<memssa>,instcombine," \
         "simplifycfg,loop-mssa(licm),gvn,dse,instcombine,simplifycfg),globaldce"


@dataclass
class Native:
    """`facts` is {kernel: {"wave_bytes": ...}}: what the device needs to run it; `undefined` the symbols that the
    process must provide."""
    objects: list
    facts: dict
    undefined: list = field(default_factory=list)


def native(executable, host, optimize=True):
    """The Native of an amdgpu Executable, for the Target `host`."""
    code = executable.objects[0]
    name = key(code, host, optimize)
    blob = cache.load(name)
    if blob is not None:
        return read(blob)
    made = translated(executable, host, optimize)
    cache.store(name, write(made))
    return made


def key(code, host, optimize):
    state = blake2b(digest_size=20)
    for part in (b"wavefronts", code, host.key().encode(), cache.compiler_stamp(), repr(optimize).encode()):
        state.update(len(part).to_bytes(LENGTH, "little"))
        state.update(part)
    return state.hexdigest()


def write(made):
    head = json.dumps(made.facts).encode()
    return len(head).to_bytes(LENGTH, "little") + head + made.objects[0]


def read(blob):
    end = LENGTH + int.from_bytes(blob[:LENGTH], "little")
    objects = [blob[end:]]
    return Native(objects, json.loads(blob[LENGTH:end]), binary.undefined_symbols(*objects))


def translated(executable, host, optimize):
    from clpy.compiler.isa.gcn import translate
    from clpy.compiler.isa.gcn.flow import UnknownInstruction
    from clpy.llvm import codegen
    from clpy.llvm.module import LLVMError
    program = facts.read_program(executable.objects[0], executable.kernels)
    try:
        with codegen.machine(host, optimize) as machine:
            module, waves = translate.translate(program, target=machine)
            if optimize:
                module.run_passes(PASSES, machine.ref)
            objects = [machine.object(module)]
    except UnknownInstruction as why:
        raise CompileError(f"error: {why}\n") from None
    except LLVMError as why:
        raise CompileError(f"error: the translation to code of the host failed: {why}\n") from None
    trace(3, f"translated: {len(program.text)} bytes of {program.processor} code to {len(objects[0])} bytes")
    return Native(objects, {name: {"wave_bytes": size} for name, size in waves.items()},
                  binary.undefined_symbols(*objects))
