# SPDX-License-Identifier: Apache-2.0
"""Widening for lock-step wavefronts (lockstep.py): up to 64 lanes under an explicit mask, observed where asked for.

Two things differ from vectors. The lanes may be consecutive work-items of the group as a whole: no local id counts
along them then. And what runs lane by lane is a loop over the lanes that take part, since 64 copies of it would be
much code.
"""
from clpy.compiler import frame as fr
from clpy.compiler.spmd.lanes import Lanes
from clpy.compiler.spmd.observers import BARRIER, BLOCK, BRANCH, MEMORY, PREFIX, Callbacks
from clpy.compiler.spmd.progress import GIVE_WAY
from clpy.compiler.spmd.sub_groups import row_of_call
from clpy.compiler.spmd.widen import Widener
from clpy.compiler.spmd.widen_calls import Calls
from clpy.compiler.spmd.widen_sub_groups import SubGroups


class WaveWidener(Widener):
    def make_calls(self, libm):
        return WaveCalls(super().make_calls(libm), Callbacks(self.forms.module, self.names["launch"]),
                         SubGroups(self.forms, self.names))

    def make_active(self):
        super().make_active()
        source = self.forms.source
        if source.attribute_text(fr.LANE) == fr.WAVE:
            ids = self.ids()
            for param in source.params:
                if param.name in fr.LOCAL_IDS:
                    del self.forms.scalars[param]
                    self.forms.lanes[param] = Lanes([ids[param.name]])

    def ids(self):
        """The lanes' local ids: their place in the group, which begins at lid.0, divided by the group's sizes.

        By division of floats, which vectors have: exact, since both numbers are below 2^23."""
        b, t, names = self.b, self.t, self.names
        first = b.cast("trunc", names["lid.0"], t.i32)
        linear = b.add(self.forms.splat(first), self.forms.step(t.i32, 1))
        row, x = self.divide(linear, names["lsize.0"])
        z, y = self.divide(row, names["lsize.1"])
        wide = self.forms.vec(t.i64)
        return {f"lid.{n}": b.cast("zext", v, wide) for n, v in enumerate((x, y, z))}

    def divide(self, value, size):
        """(quotient, remainder)."""
        b, t = self.b, self.t
        size = self.forms.splat(b.cast("trunc", size, t.i32))
        floats = self.forms.vec(t.float)
        quotient = b.cast("fptoui", b.binop("fdiv", b.cast("uitofp", value, floats), b.cast("uitofp", size, floats)),
                          self.forms.vec(t.i32))
        return quotient, b.sub(value, b.mul(quotient, size))


class WaveCalls(Calls):
    def __init__(self, calls, callbacks, sub_groups):
        super().__init__(calls.forms, calls.memory, calls.libm, calls.tests)
        self.callbacks, self.sub_groups = callbacks, sub_groups
        self.addresses = None      # where a wavefront's addresses lie for the observer

    def call(self, inst):
        row = row_of_call(inst)
        if row is not None:
            self.sub_groups.call(inst, row)
        elif inst.callee.name == GIVE_WAY:
            self.b.call(inst.callee, [])
        elif inst.callee.name.startswith(PREFIX):
            self.observed(inst.callee.name, *inst.args)
        else:
            super().call(inst)

    # --- lane by lane

    def guarded(self, inst):
        *args, mask = inst.args
        true = self.t.i1.const(1)
        self.for_lanes(inst, self.forms.as_bits(self.forms.part(mask)),
                       lambda lane: [*[self.forms.lane_at(a, lane) for a in args], true])

    def lane_by_lane(self, inst):
        self.for_lanes(inst, self.t.int(self.width).all_ones,
                       lambda lane: [self.forms.lane_at(a, lane) for a in inst.args])

    # --- the observer

    def observed_bits(self, mask):
        """A vector of lanes as the observer sees it: a bit for each in an i64."""
        bits = self.forms.as_bits(mask)
        return bits if self.width == 64 else self.b.cast("zext", bits, self.t.i64)

    def observed(self, name, *args):
        b, t = self.b, self.t
        *args, mask = args
        bits = self.observed_bits(self.forms.part(mask))
        if name == MEMORY:
            address, site = args
            place = self.address_array()
            b.store(self.forms.part(address), place).align = 64
            self.callbacks.call(b, MEMORY, [site, bits, place])
        elif name == BRANCH:
            condition, site = args
            taken = self.b.select(self.forms.part(mask), self.forms.part(condition), self.forms.vec(t.i1).null)
            self.callbacks.call(b, BRANCH, [site, bits, self.observed_bits(taken)])
        elif name in (BLOCK, BARRIER):
            self.callbacks.call(b, name, [args[0], bits])

    def address_array(self):
        if self.addresses is None:
            self.addresses = self.forms.stack_array(self.t.i64)
            self.addresses.name = "addresses"
        return self.addresses
