# SPDX-License-Identifier: Apache-2.0
"""Make a failing random kernel smaller: drop statements, put blocks in the place of what holds them, and values in the
place of expressions, as long as it fails the same way. What the kernel may rely on stays: a barrier goes only together
with the phase behind it."""
from .random_case import Block, Statement
from .random_tree import FLOATS, Expr, split


def parts_of(node):
    return node.statements if isinstance(node, Block) else [p for p in node.parts if not isinstance(p, str)]


def walk(node):
    yield node
    for part in parts_of(node):
        yield from walk(part)


def nodes(case):
    """All nodes, those near the root first."""
    for root in (*case.functions, *case.declarations, case.body):
        yield from walk(root)


def lists(case):
    """Lists of statements from which some may go."""
    return [n.statements for n in nodes(case) if isinstance(n, Block)] + [case.declarations, case.functions]


def literal(type_):
    base, count = split(type_)
    text = "1.0f" if base in FLOATS else "1"
    return Expr(type_, f"(({type_})({text}))" if count > 1 else f"({type_}){text}")


class Reduction:
    """`fails(case)` tells whether a case still has the fault; `budget` is how often it may be asked."""

    def __init__(self, case, fails, budget=400):
        self.case, self.fails, self.budget = case, fails, budget

    def run(self):
        """The case, as small as it gets; changed in place."""
        while self.budget > 0 and any([self.drop(), self.hoist(), self.simplify()]):
            pass
        return self.case

    def attempt(self, target, new):
        """Try `new` as the content of the list `target`; keep it if the case still fails."""
        if self.budget <= 0:
            return False
        self.budget -= 1
        old = list(target)
        target[:] = new
        if self.fails(self.case):
            return True
        target[:] = old
        return False

    def drop(self):
        """Statements, many at a time first."""
        changed = False
        for statements in lists(self.case):
            size = len(statements)
            while size:
                at = len(statements) - size
                while at >= 0:
                    if self.attempt(statements, statements[:at] + statements[at + size:]):
                        changed = True
                    at -= size
                size //= 2
                size = min(size, len(statements))
        return changed

    def hoist(self):
        """A block of a statement in the statement's place."""
        changed = False
        for statements in lists(self.case):
            for statement in list(statements):
                if statement.fixed or statement not in statements:
                    continue
                at = statements.index(statement)
                for block in [p for p in statement.parts if isinstance(p, Block)]:
                    if self.attempt(statements, statements[:at] + block.statements + statements[at + 1:]):
                        changed = True
                        break
        return changed

    def simplify(self):
        """A literal, or an expression inside of the same type, in the place of an expression."""
        changed, pending = False, [n for n in nodes(self.case) if isinstance(n, Statement)]
        while pending:
            node = pending.pop(0)
            for n, part in enumerate(node.parts):
                if not isinstance(part, Expr):
                    continue
                inner = [e for e in walk(part) if isinstance(e, Expr) and e is not part and e.type == part.type]
                simple = [] if len(part.text()) < 10 and len(part.parts) == 1 else [literal(part.type)]
                for new in [*simple, *inner[:4]]:
                    if self.attempt(node.parts, [*node.parts[:n], new, *node.parts[n + 1:]]):
                        changed = True
                        break
                if node.parts[n].parts:
                    pending.append(node.parts[n])
        return changed
