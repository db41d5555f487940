# SPDX-License-Identifier: Apache-2.0
"""The .icd file: where it goes so that a loader finds clpy, and the variables that name a folder of our own."""
import os
import sys
from pathlib import Path

from clpy.tools.problem import Problem

SYSTEM_FOLDER = Path("/etc/OpenCL/vendors")
FILE = "clpy.icd"
BRIDGE = "libclpy-pyopencl.so"


def leads_here(path, ours):
    """Whether a library is libclpy.so of this installation, or the one of its wheel that leads pyopencl's loader to
    it."""
    if path.name == BRIDGE:
        path = path.parent / ".." / ".." / "clpy" / ours.name
    return path.resolve() == ours


def library():
    """The real path of libclpy.so of this installation."""
    path = Path(__file__).resolve().parents[1] / "libclpy.so"
    if not path.exists():
        raise Problem(f"{path} is missing: clpy is not built here (make build, or pip install .)")
    return path


def home_folder(variable, default):
    """$XDG_CONFIG_HOME and its kin."""
    given = os.environ.get(variable)
    if given and os.path.isabs(given):
        return Path(given)
    home = os.path.expanduser("~")
    if os.path.isabs(home):
        return Path(home, default)
    import tempfile  # which the library's interpreter has not, nor sysconfig
    return Path(tempfile.gettempdir(), f"clpy-{os.getuid()}", default)


def user_folder():
    return home_folder("XDG_CONFIG_HOME", ".config") / "OpenCL" / "vendors"


def venv_folder():
    """Where the loader in pyopencl's wheel looks, in the environment that runs this."""
    import sysconfig
    for site in dict.fromkeys((sysconfig.get_path("platlib"), sysconfig.get_path("purelib"))):
        folder = Path(site) / "pyopencl" / ".libs"
        if folder.is_dir():
            return folder
    raise Problem(f"no pyopencl with a loader of its own in {sysconfig.get_path('platlib')}: pip install pyopencl "
                  f"first, into the environment of {sys.executable}")


def folder_of(scope):
    """user, venv or system -> folder."""
    return {"user": user_folder, "venv": venv_folder, "system": lambda: SYSTEM_FOLDER}[scope]()


def write(path, text):
    """Whole or not at all: a loader may read the folder meanwhile."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.write_text(text)
    fresh.chmod(0o644)
    fresh.replace(path)


def denied(path, command):
    return Problem(f"no permission to write {path}: run it as root (sudo {sys.executable} -m clpy.tools.cli {command})")


def install(scope):
    """Writes the file; its path."""
    path = folder_of(scope) / FILE
    try:
        write(path, f"{library()}\n")
    except PermissionError:
        raise denied(path, f"icd install --{scope}") from None
    if scope == "user":
        link_others(path.parent)
    return path


def remove(scope):
    """Removes the file; its path, or None where there was none."""
    path = folder_of(scope) / FILE
    try:
        path.unlink()
    except FileNotFoundError:
        return None
    except PermissionError:
        raise denied(path, f"icd remove --{scope}") from None
    if scope == "user":
        unlink_others(path.parent)
    return path


def link_others(folder):
    """OCL_ICD_VENDORS takes the place of /etc/OpenCL/vendors: link what is there, so that nothing disappears."""
    unlink_others(folder)
    for other in sorted(SYSTEM_FOLDER.glob("*.icd")):
        link = folder / other.name
        if other.name != FILE and not link.exists():
            link.symlink_to(other)


def unlink_others(folder):
    """Removes the links that link_others made, also those that lead nowhere by now."""
    for link in folder.glob("*.icd"):
        if link.is_symlink() and os.path.dirname(os.readlink(link)) == str(SYSTEM_FOLDER):
            link.unlink()


def variables(only=False):
    """The environment in which a loader finds clpy: with the system's other platforms, or alone."""
    folder = home_folder("XDG_CACHE_HOME", ".cache") / "clpy" / ("vendors-only" if only else "vendors")
    try:
        write(folder / FILE, f"{library()}\n")
    except OSError:
        import tempfile
        folder = Path(tempfile.mkdtemp(prefix="clpy-vendors-"))
        write(folder / FILE, f"{library()}\n")
    if not only:
        link_others(folder)
    return {"OCL_ICD_VENDORS": str(folder)}
