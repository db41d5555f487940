# SPDX-License-Identifier: Apache-2.0
"""Sub-groups that wait for each other through memory: each makes progress, whatever the others do.

The sub-groups of a group run one after the other on one thread. In a loop that may wait (it looks at memory with atomic
operations, or at volatile memory), a sub-group gives way now and then: its vectors become a coroutine (LLVM's, of the
kind that is resumed from outside), and the loop over a group's sub-groups goes around until all are done. What is alive
where a sub-group gives way lies in the coroutine's frame. Nothing of this is there in a region without such a loop.
"""
from clpy.compiler.analysis.graph import laid_out
from clpy.compiler.spmd.wave_loop import WaveLoop
from clpy.llvm.ir import Builder, Types, add_function, declare, intrinsic

GIVE_WAY = "clpy.give_way"      # a call in a lane's function: here its sub-group may give way
TURNS = 64                      # of a loop between two times: going to another sub-group costs as much as some of them
FRAME_ALIGN = 64
COROUTINE = "presplitcoroutine"
SPLIT = "coro-early,cgscc(coro-split),coro-cleanup"


def new_memory(module, builder, size):
    """Of the host; without any the kernel ends as one does that touches what is not there: at address 0."""
    types = Types(module)
    return builder.call(declare(module, "__clpy_frame_new", types.function(types.ptr, [types.i64])), [size])


def free_memory(module, builder, memory):
    types = Types(module)
    builder.call(declare(module, "__clpy_frame_free", types.function(types.void, [types.ptr])), [memory])


def may_wait(block):
    """Whether what a block does can depend on others that run at the same time."""
    return any(inst.opcode in ("atomicrmw", "cmpxchg") or inst.is_atomic or inst.is_volatile
               for inst in block.instructions if inst.opcode in ("atomicrmw", "cmpxchg", "load"))


def mark_waiting_loops(module, lane):
    """Calls of GIVE_WAY where the loops of a function begin that may wait; whether there are any."""
    cfg, types, b = laid_out(lane), Types(module), Builder(module)
    waiting = {cfg.loop_of[n].header for n, block in enumerate(cfg.blocks)
               if cfg.loop_of[n] is not None and may_wait(block)}
    give_way = declare(module, GIVE_WAY, types.function(types.void, []))
    for header in waiting:
        b.before(cfg.blocks[header].first_non_phi).call(give_way, [])
    return bool(waiting)


class Coroutine:
    """Makes a coroutine of a function with calls of GIVE_WAY: it takes one parameter more in front, where its answer
    goes (nothing is stored where it has none), and returns the handle."""

    def __init__(self, module, form):
        self.module, self.form = module, form
        self.types, self.b = Types(module), Builder(module)

    def coro(self, name, args, types=()):
        return self.b.call(intrinsic(self.module, f"llvm.coro.{name}", list(types)), args)

    def run(self):
        t, form = self.types, self.form
        made = add_function(self.module, f"{form.name}.waiting", t.function(t.ptr, [t.ptr, *form.value_type.params]))
        made.set_internal()
        made.add_attribute("nounwind")
        made.add_attribute(COROUTINE)
        made.take_blocks(form)
        for old, new in zip(form.params, made.params[1:], strict=True):
            new.name = old.name
            old.replace_with(new)
        self.made, ends = made, [block.terminator for block in made.blocks if block.terminator.opcode == "ret"]
        self.end, self.cleanup, self.done = (made.append_block(n) for n in ("end", "free", "done"))
        self.begin()
        for end in ends:
            self.answer(end)
        for call in made.instructions_of("call"):
            if getattr(call.callee, "name", "") == GIVE_WAY:
                self.give_way(call)
        self.finish()
        return made

    def begin(self):
        """The frame, in memory of its own: how large it is, LLVM says when it splits the function."""
        t, b = self.types, self.b
        b.before(next(i for i in self.made.entry.instructions if i.opcode != "alloca"))
        null = t.ptr.null
        self.id = self.coro("id", [t.i32.const(FRAME_ALIGN), null, null, null])
        memory = new_memory(self.module, b, self.coro("size", [], [t.i64]))
        self.handle = self.coro("begin", [self.id, memory])

    def answer(self, end):
        self.b.before(end)
        if end.n_operands:
            self.b.store(end.operand(0), self.made.params[0])
        self.b.br(self.done)
        end.erase()

    def suspend(self, last):
        return self.coro("suspend", [self.id.type.null, self.types.i1.const(last)])

    def leave_or(self, state, on):
        t = self.types
        cases = [(t.i8.const(1), self.cleanup)] if on is None else [(t.i8.const(0), on), (t.i8.const(1), self.cleanup)]
        self.b.switch(state, self.end, cases)

    def give_way(self, call):
        """Each time that the loop has gone around so often."""
        t, b = self.types, self.b
        turns = b.before(self.made.entry.first).alloca(t.i32, "turns")
        b.before(next(i for i in self.made.entry.instructions if i.opcode != "alloca")).store(t.i32.null, turns)
        after = call.block
        block = after.split_before(call, "turn")
        call.erase()
        block.terminator.erase()
        b.at_end(block)
        following = b.add(b.load(t.i32, turns), t.i32.const(1))
        b.store(following, turns)
        pause = self.made.append_block("pause")
        often = b.icmp("eq", b.binop("and", following, t.i32.const(TURNS - 1)), t.i32.null)
        b.cond_br(often, pause, after)
        b.at_end(pause)
        self.leave_or(self.suspend(0), after)

    def finish(self):
        t, b = self.types, self.b
        b.at_end(self.done)
        self.leave_or(self.suspend(1), None)
        b.at_end(self.cleanup)
        memory = self.coro("free", [self.id, self.handle])
        free_memory(self.module, b, memory)
        b.br(self.end)
        b.at_end(self.end)
        self.coro("end", [self.handle, t.i1.const(0), self.id.type.null])
        b.ret(self.handle)


class WaitingLoop(WaveLoop):
    """foreach: a group's sub-groups, each started once and resumed until it is done."""

    def coro(self, name, *args):
        return self.b.call(intrinsic(self.module, f"llvm.coro.{name}", []), list(args))

    def before(self):
        t, b = self.types, self.b
        total = b.mul(b.mul(self.size(0), self.size(1)), self.size(2))
        self.count = b.binop("udiv", b.add(total, t.i64.const(self.width - 1)), t.i64.const(self.width))
        self.handles = new_memory(self.module, b, b.mul(self.count, t.i64.const(t.ptr.size)))

    def place(self, number):
        return self.b.gep(self.types.ptr, self.handles, [number])

    def start(self, function, linear, args):
        handle = self.b.call(function, [self.answer or self.types.ptr.null, *args])
        self.b.store(handle, self.place(self.b.binop("udiv", linear, self.types.i64.const(self.width))))

    def around(self):
        """Resume those that are not done, one after the other, until one way through finds all of them done."""
        b, t = self.b, self.types
        around, each, resume, following, end, free, left = (self.foreach.append_block(n) for n in (
            "around", "each", "resume", "next", "all", "free", "left"))
        zero, one = t.i64.const(0), t.i64.const(1)
        b.br(around)
        b.at_end(around).br(each)
        b.at_end(each)
        n, waiting = b.phi(t.i64, "n"), b.phi(t.i1, "waiting")
        handle = b.load(t.ptr, self.place(n))
        b.cond_br(self.coro("done", handle), following, resume)
        b.at_end(resume)
        self.coro("resume", handle)
        b.br(following)
        b.at_end(following)
        now = b.phi(t.i1)
        now.add_incoming(waiting, each)
        now.add_incoming(t.i1.const(1), resume)
        n1 = b.add(n, one)
        b.cond_br(b.icmp("ult", n1, self.count), each, end)
        for phi, first, again in ((n, zero, n1), (waiting, t.i1.const(0), now)):
            phi.add_incoming(first, around)
            phi.add_incoming(again, following)
        b.at_end(end).cond_br(now, around, free)
        b.at_end(free)
        n = b.phi(t.i64, "n")
        self.coro("destroy", b.load(t.ptr, self.place(n)))
        n1 = b.add(n, one)
        n.add_incoming(zero, end)
        n.add_incoming(n1, free)
        b.cond_br(b.icmp("ult", n1, self.count), free, left)
        b.at_end(left)
        free_memory(self.module, b, self.handles)
