# SPDX-License-Identifier: Apache-2.0
"""Random kernels with what came to the language later: halves, functions of work-groups and sub-groups, pointers to any
memory, bits and dot products; and with what is rarer in it: structures, unions and arrays that functions change
(records), values handed on through local memory and contended atomics (exchange), vectors of three, far shifts (odd).

    case = make(seed, features)

The size of sub-groups is another one in each way of running a kernel, so what their functions give is used where it
does not tell: sums over all of them, and what two functions say of the same.
"""
from .random_case import BYTES, Block, Statement
from .random_exchange import Exchange
from .random_kernels import Generator
from .random_odd import Odd
from .random_records import Records
from .random_tree import HEX

FEATURES = ("halves", "groups", "sub_groups", "generic", "bits", "records", "exchange", "odd")
OPERATIONS = ("add", "min", "max")
GROUP_TYPES = ("uint", "ulong")          # their sums have no overflow that is undefined
ALONE = ("int", "long", "uint", "ulong")  # the least and the most of these
HALF_STEPS = ("{u} = {u} + {v};", "{u} = {u} - {v};", "{u} = {u} * {v};", "{u} = fma({u}, {v}, {u});",
              "{v} = rint({v} * h);", "{u} = fmin({u}, {v});", "{u} = fmax({u}, {v});", "{v} = floor({u} * h);",
              "{v} = fabs({u} - {v});", "{v} = copysign({v}, {u});", "{u} = sqrt(fabs({v}));",
              "{u} = {v} / (fabs({u}) + o);")
ENABLE = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable"


class LanguageGenerator(Generator, Records, Exchange, Odd):
    def __init__(self, seed, features=FEATURES):
        super().__init__(seed)
        self.features = [name for name in FEATURES if name in features]
        self.dimensions = 1
        if "halves" in self.features:
            self.functions.append(Statement(ENABLE, fixed=True))

    def launch(self):
        made = super().launch()
        self.dimensions = len(made.group)
        return made

    def variables(self):
        super().variables()
        if "records" in self.features:
            self.records()
        if "exchange" in self.features:
            self.exchanged()

    def results(self):
        return super().results() + (self.record_results() if "records" in self.features else [])

    def statement(self, depth, where):
        ways = {"halves": self.halves, "sub_groups": self.some_of_a_sub_group, "generic": self.any_memory,
                "bits": self.bits, "records": self.of_records, "exchange": self.contended, "odd": self.odd}
        chosen = [ways[name] for name in self.features if name in ways]
        if self.pure or not chosen or self.r.random() > 0.25:
            return super().statement(depth, where)
        return self.r.choice(chosen)()

    def phase(self, depth, last=False):
        """Before it, functions that all work-items of a group or sub-group call; it sees what they give."""
        r, before, made = self.r, [], []
        for _ in range(r.choice((0, 1, 1, 2))):
            if "groups" in self.features and r.random() < 0.6:
                type_, name, uniform, statement = self.of_the_group()
                self.scope.add(type_, name, uniform)
                made.append((type_, name))
                before.append(statement)
            elif "sub_groups" in self.features and r.random() < 0.6:
                before.append(self.all_of_a_sub_group())
            elif "exchange" in self.features:
                before.append(self.exchange())
        phase = super().phase(depth, last)
        for type_, name in made:
            self.forget(type_, name)
        return Statement(Block([*before, phase]), fixed=True) if before else phase

    def of_the_group(self):
        r, name = self.r, self.name("g")
        way = r.randrange(4)
        if way == 0:
            which = r.choice(("all", "any"))
            return "int", name, True, Statement(f"const int {name} = work_group_{which}(", self.condition(1), ") != 0;",
                                                fixed=True)
        if way == 1:
            type_ = r.choice(ALONE)
            at = ", ".join(f"un{r.choice('02')} % get_local_size({d})" for d in range(self.dimensions))
            return type_, name, True, Statement(f"const {type_} {name} = work_group_broadcast(", self.make(type_, 1),
                                                f", {at});", fixed=True)
        operation = r.choice(OPERATIONS)
        type_ = r.choice(GROUP_TYPES if operation == "add" else ALONE)
        form = "reduce" if way == 2 else r.choice(("scan_inclusive", "scan_exclusive"))
        return type_, name, way == 2, Statement(f"const {type_} {name} = work_group_{form}_{operation}(",
                                                self.make(type_, 1), ");", fixed=True)

    def all_of_a_sub_group(self):
        """Where all of its work-items come along."""
        x, y, z = (self.name("x") for _ in range(3))
        tell = self.r.choice((
            f"{y} = sub_group_scan_inclusive_add({x}), {z} = sub_group_scan_exclusive_add({x}); "
            f"own[i] += {y} - {z} == {x} ? 1 : 999;",
            f"{y} = sub_group_reduce_max({x}), {z} = sub_group_broadcast({y}, get_sub_group_size() - 1); "
            f"own[i] += ({y} >= {x} && {y} == {z}) ? 2 : 999;",
            f"{y} = sub_group_reduce_add({x}), {z} = get_sub_group_local_id(); if ({z} == 0) atomic_add(acc + 3, {y});",
            f"{y} = sub_group_shuffle({x}, get_sub_group_local_id()), {z} = sub_group_shuffle_xor({x}, 0); "
            f"own[i] += ({x} == {y} && {x} == {z}) ? 3 : 999;",
            f"{y} = sub_group_all({x} & 1), {z} = sub_group_any(!({x} & 1)); "
            f"own[i] += ({y} != 0) == ({z} != 0) ? 999 : 4;",
            f"{y} = sub_group_scan_inclusive_min({x}), {z} = sub_group_shuffle_up({y}, 0); "
            f"own[i] += ({y} <= {x} && {y} == {z}) ? 5 : 999;"))
        return Statement(f"{{ const uint {x} = ", self.make("uint", 1), f"; const uint {tell} }}", fixed=True)

    def some_of_a_sub_group(self):
        """Where some of its work-items may be elsewhere: what they sum up together is the same in any sub-groups."""
        x, y = self.name("x"), self.name("y")
        tell = self.r.choice((
            f"{y} = sub_group_non_uniform_reduce_add({x}); if (sub_group_elect()) atomic_add(acc + 5, {y});",
            f"{y} = sub_group_ballot_bit_count(sub_group_ballot({x} & 1)); "
            f"if (sub_group_elect()) atomic_add(acc + 6, {y});",
            f"{y} = sub_group_non_uniform_scan_inclusive_add({x}) - sub_group_non_uniform_scan_exclusive_add({x}); "
            f"own[i] += {y} == {x} ? 6 : 999;",
            f"{y} = sub_group_non_uniform_reduce_max({x}); own[i] += ({y} >= {x}) ? 7 : 999;",
            f"{y} = sub_group_broadcast_first({x}); own[i] += sub_group_elect() && {y} != {x} ? 999 : 8;",
            f"{y} = sub_group_clustered_reduce_add({x}, 1); own[i] += {y} == {x} ? 9 : 999;"))
        return Statement(f"{{ const uint {x} = ", self.make("uint", 1), f"; const uint {tell} }}", fixed=True)

    def halves(self):
        """Each step is rounded to a half, so no two of them may become one."""
        r, n = self.r, self.r.choice((1, 1, 2, 3, 4, 8))
        count, u, v, w = str(n) if n > 1 else "", *(self.name("h") for _ in range(3))
        steps = " ".join(step.format(u=u, v=v) for step in r.choices(HALF_STEPS, k=r.randrange(1, 5)))
        steps = steps.replace(" h)", f" (half{count})0.75h)").replace("+ o)", f"+ (half{count})1.0h)")
        fold = " ".join(f"own[i] += {w}{f'.s{HEX[c]}' if count else ''} * {3 ** c}u;" for c in range(n))
        return Statement(f"{{ half{count} {u} = convert_half{count}(", self.make(f"float{count}", 1),
                         f"), {v} = convert_half{count}_rtz(", self.make(f"float{count}", 1), f" * 0.125f); {steps} "
                         f"ushort{count} {w} = as_ushort{count}({u}); "
                         + (f"if (isnan({u})) {w} = 7; " if n == 1 else
                            f"{w} = select({w}, (ushort{count})7, as_ushort{count}(isnan({u}))); ")
                         + f"{fold} }}", fixed=True)

    def any_memory(self):
        """A pointer to private, global, and where there is some, local memory of the work-item's own."""
        t, g = self.name("t"), self.name("g")
        places = [f"&{t}", "(uint *)(own + i)", f"(uint *)(q + i * {BYTES}) + {self.r.randrange(8)}"]
        first, second = self.r.sample(places, 2)
        return Statement(f"{{ uint {t} = ", self.make("uint", 1), f"; uint *{g} = ", self.condition(1),
                         f" ? {first} : {second}; *{g} += ", self.make("uint", 1), f" | 1u; own[i] += {t}; }}",
                         fixed=True)

    def bits(self):
        r = self.r
        offset = r.randrange(0, 32)
        count = r.randrange(0, 33 - offset)
        text = r.choice((f"bitfield_extract_unsigned({{}}, {offset}, {count})",
                         f"(uint)bitfield_extract_signed({{}}, {offset}, {count})",
                         f"bitfield_insert({{}}, {{}}, {offset}, {count})", "bit_reverse({})",
                         "dot_4x8packed_uu_uint({}, {})", "(uint)dot_4x8packed_ss_int({}, {})",
                         "(uint)dot(as_uchar4({}), as_char4({}))", "dot_acc_sat(as_uchar4({}), as_uchar4({}), {})"))
        first, *others = text.split("{}")
        parts = [first]
        for piece in others:
            parts += [self.make("uint", 1), piece]
        return Statement("own[i] += ", *parts, ";")


def make(seed, features=FEATURES):
    """The case of a seed."""
    return LanguageGenerator(seed, features).case()
