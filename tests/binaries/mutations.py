# SPDX-License-Identifier: Apache-2.0
"""Changes of program binaries. The checksum is made right again after each that is not meant to be found by it; the
machine code stays as it is, but for that of a model, which is read and not run."""
import json

from clpy.compiler import binary

NUMBERS = (0, 1, -1, 2, 3, 7, 8, 15, 16, 63, 64, 255, 4096, 65535, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53, 2**63 - 1,
           2**63, 2**64, 10**30, -2**63)
TEXTS = ("", "x", "k", "clpy-1", "clpy-2", "cpu", "link", "compile", "a\0b", "\ud800", "\u20ac" * 100, "n" * 70000,
         "%n%s", "-cl-std=CL3.0", "-create-library", "-D", "CL3.0", "__clpy_kernel.k", "../../x", "-I /")
OTHERS = (None, True, False, 1.5, -0.0, float("nan"), float("inf"), [], {}, [[]], [0], {"a": 1}, [None] * 3)
RAW = (b"", b"{", b"null", b"[" * 100000, b"{}", b"\xff\xfe", b'{"format": "clpy-2"}', b"9" * 100000,
       b'{"kind": 4, "kind": 1}', b"-", b'"' + b"x" * 100000)


def mutate(rng, blob):
    """(changed binary, what was done, whether the seal of the machine code was made anew)."""
    how = rng.choices((flip, cut, elf_field, metadata, resealed, bitcode, source, sections, raw_metadata, chip_code),
                      (6, 4, 8, 40, 8, 22, 3, 5, 4, 12))[0]
    changed, what = how(rng, blob)
    return changed, f"{how.__name__}: {what}", how in (resealed, chip_code)


def rebuilt(parts, meta, text=None):
    """With a right checksum."""
    meta.pop("checksum", None)
    try:
        meta["checksum"] = binary.checksum(parts, meta)
        text = json.dumps(meta, sort_keys=True).encode() if text is None else text
    except (ValueError, TypeError, RecursionError):
        text = b"{}"
    return binary.write_elf({**parts, ".comment": text})


def bytes_changed(rng, data):
    """A few bytes flipped, replaced, cut out or put in."""
    data, done = bytearray(data), []
    for _ in range(rng.choice((1, 1, 1, 2, 4, 16))):
        if not data:
            break
        at, how = rng.randrange(len(data)), rng.randrange(5)
        if how < 2:
            data[at] ^= 1 << rng.randrange(8)
        elif how == 2:
            data[at:at + 4] = rng.choice((bytes(4), b"\xff" * 4, b"\xff\xff\xff\x7f", rng.randbytes(4)))
        elif how == 3:
            del data[at:at + rng.choice((1, 4, 32, 1000))]
        else:
            data[at:at] = rng.randbytes(rng.choice((1, 4, 32)))
        done.append(f"{('flip', 'flip', 'word', 'cut', 'insert')[how]} at {at}")
    return bytes(data), ", ".join(done)


def flip(rng, blob):
    return bytes_changed(rng, blob)


def cut(rng, blob):
    at = rng.randrange(len(blob))
    return (blob[:at], f"at {at}") if rng.random() < 0.7 else (blob + rng.randbytes(at % 100 + 1), "longer")


def elf_field(rng, blob):
    """In the ELF header or the table of sections, which no checksum covers."""
    blob = bytearray(blob)
    table = binary.HEADER.unpack_from(blob)[9]
    start, size = rng.choice(((0, binary.HEADER.size), (table, len(blob) - table)))
    at, width = start + rng.randrange(size), rng.choice((1, 2, 4, 8))
    value = rng.choice(NUMBERS) % (1 << 8 * width)
    blob[at:at + width] = value.to_bytes(width, "little")
    return bytes(blob), f"{value} at {at}"


def places(tree, path=()):
    """(holder, key, path) of each value in JSON data."""
    rows = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in rows:
        yield tree, key, (*path, key)
        yield from places(value, (*path, key))


def value_for(rng, old):
    kind = rng.randrange(6)
    if type(old) is int and kind < 4:
        return rng.choice((old + 1, old - 1, old * 2, old ^ 1 << rng.randrange(40), rng.choice(NUMBERS)))
    if isinstance(old, str) and kind < 4:
        return rng.choice((rng.choice(TEXTS), old[::-1], old + "x", old[:-1], old * 2))
    return rng.choice((rng.choice(NUMBERS), rng.choice(TEXTS), rng.choice(OTHERS)))


def change_tree(rng, meta):
    done = []
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        found = list(places(meta))
        if not found:
            break
        holder, key, path = rng.choice(found)
        how = rng.randrange(8)
        if how == 0:
            del holder[key]
        elif how == 1 and isinstance(holder, list):
            holder.insert(rng.randrange(len(holder) + 1), holder[key])
        elif how == 2:
            other_holder, other_key, _ = rng.choice(found)
            holder[key] = json.loads(json.dumps(other_holder[other_key]))
        elif how == 3 and isinstance(holder[key], list) and len(holder[key]) > 1 and type(holder[key][0]) is int:
            i, by = rng.randrange(len(holder[key]) - 1), rng.choice((1, -1, 16, 4096))
            holder[key][i] += by                 # the sum stays
            holder[key][i + 1] -= by
        elif how == 4 and isinstance(holder, dict):
            holder[rng.choice(TEXTS)] = holder.pop(key)
        else:
            holder[key] = value_for(rng, holder[key])
        done.append("/".join(map(str, path)))
    return ", ".join(done)


def metadata(rng, blob):
    _, parts, meta = binary.unpack(blob)
    what = change_tree(rng, meta)
    return rebuilt(parts, meta), what


def resealed(rng, blob):
    """Metadata of kernels, as if the machine code said so too: what the host does with it must be safe."""
    kind, parts, meta = binary.unpack(blob)
    if kind != binary.EXECUTABLE or not parts[".text"]:
        return metadata(rng, blob)
    what = change_tree(rng, meta["kernels"])
    parts[".text"] = parts[".text"][:-binary.SEAL_BYTES] + binary.seal(parts[".llvmir"], {
        name: value for name, value in meta.items() if name != "checksum"})
    return rebuilt(parts, meta), what


def chip_code(rng, blob):
    """The code object of a chip, its tables above all."""
    kind, parts, meta = binary.unpack(blob)
    if kind != binary.EXECUTABLE or meta["device"] == "cpu" or not parts[".text"]:
        return metadata(rng, blob)
    code = parts[".text"][:-binary.SEAL_BYTES]
    changed, what = elf_field(rng, code) if rng.random() < 0.5 else bytes_changed(rng, code)
    meta["objects"] = [len(changed)]
    parts[".text"] = changed + binary.seal(parts[".llvmir"], {
        name: value for name, value in meta.items() if name != "checksum"})
    return rebuilt(parts, meta), what


def bitcode(rng, blob):
    _, parts, meta = binary.unpack(blob)
    parts[".llvmir"], what = bytes_changed(rng, parts[".llvmir"])
    if rng.random() < 0.2:
        meta["target"] = "another"
        what += ", for another processor"
    if rng.random() < 0.1:
        meta["format"] = "clpy-1"
        what += ", of an earlier format"
    return rebuilt(parts, meta), what


def source(rng, blob):
    _, parts, meta = binary.unpack(blob)
    parts[".source"], what = bytes_changed(rng, parts[".source"] or b"x")
    return rebuilt(parts, meta), what


def sections(rng, blob):
    """Without one of them, with two of a name, or with one in another's place."""
    _, parts, meta = binary.unpack(blob)
    names = [name for name in parts if name != ".text"]
    one, other = rng.choice(names), rng.choice(names)
    how = rng.randrange(3)
    if how == 0:
        parts[one] = b""
    elif how == 1:
        parts[one], parts[other] = parts[other], parts[one]
    else:
        parts[one] = parts[one] + parts[other]
    return rebuilt(parts, meta), f"{('empty', 'exchanged', 'joined')[how]} {one} {other}"


def raw_metadata(rng, blob):
    _, parts, meta = binary.unpack(blob)
    text = rng.choice((*RAW, bytes_changed(rng, json.dumps(meta).encode())[0]))
    return rebuilt(parts, meta, text), f"{text[:40]!r}"
