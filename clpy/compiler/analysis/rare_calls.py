# SPDX-License-Identifier: Apache-2.0
"""Calls for rare arguments, in a linearized function: what is marked as cold, and those that the library makes."""
from clpy.compiler.analysis.libmvec import RARE_CALLS

QUESTIONS = 2       # one inside the other, that are looked through: are there any rare ones, and any that need a call


def is_rare_call(inst):
    return inst.opcode == "call" and (inst.callee.name in RARE_CALLS or (
        inst.callee.name.startswith("clpy.guarded") and inst.callee.has_attribute("cold")))


def asks(block):
    """The block ends with a branch by whether any lane is in a mask."""
    end = block.terminator
    return end.opcode == "br" and len(end.operands) == 3 and end.operand(0).opcode == "call"


def leads_to_rare(cfg, b, questions=QUESTIONS):
    """The block has such a call, or asks whether there is anything to call for."""
    block = cfg.blocks[b]
    return any(map(is_rare_call, block.instructions)) or (
        questions > 1 and asks(block) and any(leads_to_rare(cfg, way, questions - 1) for way in cfg.succs[b]))
