# SPDX-License-Identifier: Apache-2.0
"""How much code kernels become when all that they call is inlined, and what to call instead where that is too much.

A ray tracer's kernel that evaluates materials and their textures may call a thousand functions; with all of them
inlined LuxCoreRender's are a billion instructions.
"""
from collections import Counter

MOST_CODE = 100_000      # instructions, of all kernels together, until which everything is inlined
LEAST_GAIN = 2_000       # that a function which is called instead saves
SMALLEST = 100           # instructions of such a function, with all that is inlined into it


def callers_first(graph):
    """The functions of a call graph without cycles."""
    order, done = [], set()
    for root in graph:
        pending = [(root, False)]
        while pending:
            function, is_left = pending.pop()
            if is_left:
                order.append(function)
            elif function not in done:
                done.add(function)
                pending.append((function, True))
                pending += [(callee, False) for callee in graph[function] if callee not in done]
    return order[::-1]


class CodeSize:
    """Sizes where the functions in `apart` (at first none) are called, and all others inlined. graph: function -> what
    it calls that has a body; roots: what is there in any case."""

    def __init__(self, graph, roots):
        self.roots, self.apart = roots, set()
        self.order = callers_first(graph)
        self.own = {f: f.n_instructions for f in graph}
        self.calls = {f: Counter(call.callee for call in f.instructions_of("call") if call.callee in graph)
                      for f in graph}

    def whole(self):
        """Function -> instructions with all that is inlined into it."""
        sizes = {}
        for function in reversed(self.order):
            inlined = sum(n * sizes[f] for f, n in self.calls[function].items() if f not in self.apart)
            sizes[function] = self.own[function] + inlined
        return sizes

    def copies(self):
        """Function -> how often it is there."""
        copies = {f: int(f in self.roots) for f in self.order}
        for function in self.order:
            if not copies[function]:
                continue
            for callee, n in self.calls[function].items():
                copies[callee] = 1 if callee in self.apart else copies[callee] + n * copies[function]
        return copies

    def n_instructions(self):
        return sum(self.own[function] * n for function, n in self.copies().items())


def too_often(code, candidates):
    """Those of the candidates that are to be called, beside those that are apart already, so that there is no more than
    MOST_CODE, as far as that can be: what saves most comes first."""
    chosen = set()
    while True:
        copies, sizes = code.copies(), code.whole()
        open_ = [f for f in candidates if f not in code.apart and copies[f] > 1 and sizes[f] >= SMALLEST]
        if not open_ or code.n_instructions() <= MOST_CODE:
            return chosen
        best = max(open_, key=lambda f: (copies[f] - 1) * sizes[f])
        if (copies[best] - 1) * sizes[best] < LEAST_GAIN:
            return chosen
        chosen.add(best)
        code.apart = code.apart | {best}
