# SPDX-License-Identifier: Apache-2.0
"""What one memory instruction of a wavefront costs: the address unit's cycles, the LDS's cycles, the lines it touches.

The code that kernels are translated to counts the same for each access while it runs; this is the rule in plain form,
which tests and the closed formula use. `addresses`: a byte address per work-item of the wavefront, None for those
that are masked out.
"""
WORD = 4
QUARTER = 16                     # work-items that the address unit takes at once
LINE = 64


def lines(addresses, size):
    """Distinct lines in the order of the first touch; an access may reach into the next line."""
    found = {}
    for address in addresses:
        if address is not None:
            for line in range(address // LINE, (address + size - 1) // LINE + 1):
                found[line] = True
    return list(found)


def vector_memory_cycles(chip, addresses, size, kind="load"):
    """Cycles of the address unit, by quarters of the wavefront: four addresses a cycle, but a quarter whose words lie
    in one line goes in one cycle; and a line's tag, and 64 bytes, a cycle. Loads of 64 bits are slower than that. VLIW
    chips take four addresses a cycle, wherever they lead. Gen chips ask for each line once, and take as many cycles."""
    if chip.is_gen:
        return lines_of_message(addresses, size)
    total = 0
    for at in range(0, len(addresses), QUARTER):
        quarter = [address for address in addresses[at:at + QUARTER] if address is not None]
        if not quarter:
            continue
        touched = len(lines(quarter, size))
        if kind == "load" and size <= WORD and touched == 1:
            total += 1
        else:
            total += max(-(-len(quarter) // 4), touched, -(-len(quarter) * size // LINE))
    if not chip.is_gcn:
        return max(total, chip.issue.fetch_address) if total else 0
    if kind == "load" and size == 2 * WORD:
        return max(total, chip.issue.vmem_load_b64)
    if kind == "atomic":
        return max(total, chip.issue.vmem_atomic)
    return total if kind == "load" else max(total, 16)


def lines_of_message(addresses, size):
    """Cycles of a Gen chip's data port: as many work-items at once as have 64 bytes, by powers of two, and each line
    that these touch."""
    words = -(-size // WORD)
    at_once = QUARTER >> (words - 1).bit_length()
    total = 0
    for at in range(0, len(addresses), at_once):
        total += len(lines(addresses[at:at + at_once], size))
    return max(total, 1)


def lds_cycles(chip, addresses, size, kind="read"):
    """Cycles of the LDS. As many work-items at once as have a word for each bank; those are served in as many cycles as
    the bank with the most distinct words has; a word that several want is read once. Atomics do not share, and of Gen
    chips stores."""
    words = -(-size // WORD)
    if chip.is_gen:
        base = -(-len(addresses) * words // chip.lds.banks)
    elif kind == "atomic":
        base = chip.issue.lds_atomic
    elif chip.is_gcn:
        base = getattr(chip.issue, f"lds_{kind}_b{32 * min(words, 4)}")
    else:
        base = words * getattr(chip.issue, f"lds_{kind}")
    step = chip.lds.banks // words
    total = 0
    for at in range(0, len(addresses), step):
        banks = {}
        for address in addresses[at:at + step]:
            if address is not None:
                for word in range(address // WORD, address // WORD + words):
                    banks.setdefault(word % chip.lds.banks, []).append(word)
        alone = kind == "atomic" or (chip.is_gen and kind == "write")
        shared = (lambda found: len(found)) if alone else (lambda found: len(set(found)))
        total += max((shared(found) for found in banks.values()), default=0)
    return max(base, total)
