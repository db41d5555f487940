# SPDX-License-Identifier: Apache-2.0
"""`clpy devices`: which devices there are, and which of them programs see: a file of the user's says it for good."""
import os
import sys

from clpy import config
from clpy.device import chosen
from clpy.device.gpu import chip
from clpy.tools import icd_file
from clpy.tools.problem import Problem

SOURCES = {"default": "as nothing else was chosen", "file": "as {path} says",
           "environment": f"as {chosen.VARIABLE} says"}


def whole(name):
    """The name with what it stands for."""
    return f"gpu:{chip.DEFAULT}" if name == "gpu" else name


def asked_for(name):
    """By who types it: a chip's name is enough."""
    return f"gpu:{name}" if name in chip.files() else whole(name)


def known():
    """Name of each device -> what it is, and why programs cannot see it ("": they can)."""
    from clpy.compiler.amdgpu import installed
    from clpy.device.cpu.info import Machine
    found = {"cpu": (Machine(None).name(), "")}
    for name in sorted(chip.files()):
        try:
            model = chip.load(name)
        except chip.ChipError as wrong:
            found[f"gpu:{name}"] = ("model of a GPU", str(wrong))
            continue
        found[f"gpu:{name}"] = (f"model of {model.identity.board_name}: {model.identity.generation}, "
                                f"{model.compute_units} compute units"
                                + (f", code of {model.identity.processor}" if model.is_stood_in_for else ""),
                                installed.missing(model.identity.architecture, model.identity.processor))
    return found


def shown():
    """Names that programs see, in order, and who says so: environment, file or default."""
    try:
        names, place = chosen.chosen()
    except ValueError as wrong:
        print(f"clpy: {chosen.path()} {wrong}; it is ignored", file=sys.stderr)
        names, place = chosen.listed(config.get("DEVICES")), ""
    source = "environment" if place == chosen.VARIABLE else "file" if place else "default"
    return list(dict.fromkeys(map(whole, names))), source


def rows():
    names, source = shown()
    there = known()
    if not any(name in there and not there[name][1] for name in names):
        names = [*names, *({chosen.FALLBACK} - {*names})]       # programs see one whatever is wrong
    listed = [{"name": name, "enabled": True, "description": there.get(name, ("", ""))[0],
               "problem": there[name][1] if name in there else "there is no such device"} for name in names]
    listed += [{"name": name, "enabled": False, "description": description, "problem": problem}
               for name, (description, problem) in there.items() if name not in names]
    return {"devices": listed, "source": source, "file": chosen.path()}


def show(data):
    """A line for each device, those that programs see first."""
    seen = [row for row in data["devices"] if row["enabled"]]
    width = max(len(row["name"]) for row in data["devices"])
    lines = [f"programs see, {SOURCES[data['source']].format(path=data['file'])}:"]
    for row in data["devices"]:
        lines.append(f"  {row['name']:{width}}  {row['description']}"
                     + (f"  (left out: {row['problem']})" if row["problem"] else ""))
    if len(seen) < len(data["devices"]):
        lines.insert(1 + len(seen), "and could see, with clpy devices enable NAME:")
    return "\n".join(lines)


def usual():
    """What programs see where nothing was chosen."""
    default = next(option.default for option in config.TABLE if option.name == "DEVICES")
    return [whole(name) for name in chosen.listed(default)]


def chosen_before():
    """What the file says, or the default: what a command changes."""
    try:
        names = chosen.read() if chosen.path() else None
    except ValueError as wrong:
        raise Problem(f"{chosen.path()} {wrong}: correct it, or clpy devices reset") from None
    return usual() if names is None else list(dict.fromkeys(map(whole, names)))


def changed(action, before, names):
    if action == "enable":
        return before + [name for name in names if name not in before]
    if action == "disable":
        return [name for name in before if name not in names]
    return names + [name for name in before if name not in names]


def change(action, names):
    """Writes the file."""
    path = chosen.path()
    if not path:
        raise Problem("there is no folder for it: neither XDG_CONFIG_HOME nor HOME is set")
    if action == "reset":
        forget(path)
        return
    before, there = chosen_before(), known()
    if action == "disable" and "gpu" in names:       # who wants no GPU wants none
        names = [name for name in before if name.startswith("gpu:")] + names
    names = list(dict.fromkeys(map(asked_for, names)))
    wrong = [name for name in names if name not in there and not (action == "disable" and name in before)]
    if wrong:
        raise Problem(f"there is no device {wrong[0]}, only " + ", ".join(there))
    after = changed(action, before, names)
    if not after:
        raise Problem("one device has to be left: enable another one first")
    save(path, after)


def save(path, names):
    if names == usual():
        forget(path)             # whoever counts devices is faster without
        return
    try:
        icd_file.write(icd_file.Path(path), "# Devices that programs see, the default first: clpy devices --help\n"
                       + "".join(f"{name}\n" for name in names))
    except OSError as error:
        raise Problem(f"{path}: {error.strerror}") from None


def forget(path):
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise Problem(f"{path}: {error.strerror}") from None


def run(args):
    """The data and the text of the command's answer."""
    if args.action:
        change(args.action, getattr(args, "names", []))
    data = rows()
    text = show(data)
    if args.action and data["source"] == "environment":
        text += f"\n{chosen.VARIABLE} is set here, and wins over the file"
    return data, text
