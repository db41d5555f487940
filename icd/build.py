# SPDX-License-Identifier: Apache-2.0
"""Builds libclpy.so into a package folder: python icd/build.py FOLDER. Called by setup.py."""
import json
import os
import sys
import sysconfig
import tempfile
from pathlib import Path

import cffi

ROOT = Path(__file__).resolve().parents[1]
HERE = Path(__file__).resolve().parent
PARTS = ("exports.c", "before.c", "host.c", "bootstrap.c", "forks.c")
SOURCES = ("start.py", "build.py", "exports.map", *PARTS)


def shared_libpython():
    """Folder of the shared libpython; ends with the cure where this Python has none."""
    config = sysconfig.get_config_var
    if not config("Py_ENABLE_SHARED"):
        version = sysconfig.get_python_version()
        sys.exit(f"clpy: {sys.executable} has no shared libpython, which a library for any program needs. Use Debian's "
                 f"Python (apt install python3 python3-dev python3-venv), or build {version} with --enable-shared "
                 f"(pyenv: PYTHON_CONFIGURE_OPTS=--enable-shared pyenv install {version})")
    return config("LIBDIR")


def baked(folder):
    """Where this Python's modules are: the library must find them whatever the host program's environment says."""
    import _cffi_backend
    paths = [sysconfig.get_path("stdlib"), sysconfig.get_config_var("DESTSHARED")]
    site = [sysconfig.get_path("platlib"), sysconfig.get_path("purelib"), os.path.dirname(_cffi_backend.__file__)]
    sys.path.insert(0, str(folder.parent))
    from clpy import config
    from clpy.core import identity
    devices = next(o.default for o in config.TABLE if o.name == "DEVICES")
    kinds = [name.partition(":")[0] for name in devices.split(",")]
    if set(kinds) - {"cpu", "gpu"}:
        sys.exit(f"clpy: {devices}: of what type these devices are has to be told to icd/before.c")
    # In the build environment of pip the back end's folder is gone later: it comes last.
    return {"CLPY_PYTHON_VERSION": sysconfig.get_python_version(), "CLPY_PYTHON_PREFIX": sys.base_prefix,
            "CLPY_PYTHON_EXEC_PREFIX": sys.base_exec_prefix, "CLPY_PYTHON_EXECUTABLE": sys.executable,
            "CLPY_STDLIB": ":".join(dict.fromkeys(p for p in paths if p)),
            "CLPY_SITE": ":".join(dict.fromkeys(p for p in site if p)),
            "CLPY_DEFAULT_DEVICES": devices,
            **{f"CLPY_DEFAULT_{kind.upper()}S": kinds.count(kind) for kind in ("cpu", "gpu")},
            "CLPY_NAME": identity.NAME, "CLPY_VENDOR": identity.VENDOR, "CLPY_PROFILE": identity.PROFILE,
            "CLPY_VERSION": identity.VERSION, "CLPY_SUFFIX": identity.ICD_SUFFIX,
            "CLPY_EXTENSIONS": " ".join(identity.EXTENSIONS)}


def source(folder):
    """C source: the baked strings, then the files in order."""
    out = []
    out += [f"#define {name} {json.dumps(value)}" for name, value in baked(folder).items()]
    for name in PARTS:
        out += [f'#line 1 "icd/{name}"', (HERE / name).read_text()]
    return "\n".join(out) + "\n"


def build(folder):
    """Compile and link, unless the library is newer than all it is made from."""
    target = folder / "libclpy.so"
    stamp = [HERE / name for name in SOURCES]
    text = source(folder)
    kept = ROOT / "build" / "icd" / "source.c"
    if target.exists() and kept.exists() and kept.read_text() == text and \
            all(target.stat().st_mtime >= p.stat().st_mtime for p in stamp):
        return
    libdir = shared_libpython()
    ffi = cffi.FFI()
    ffi.embedding_api("size_t clpy_start(const char *folder, size_t table, size_t size, size_t platform, "
                      "int own_interpreter, int loud);")
    ffi.embedding_init_code((HERE / "start.py").read_text())
    ffi.set_source(
        "_clpy_icd", text, include_dirs=[str(ROOT / "include")], library_dirs=[libdir],
        libraries=["dl", "pthread"],
        extra_compile_args=["-O2", "-g1", "-fvisibility=hidden", "-Wall", "-Wno-unused-function"],
        # now: our functions of the Python API are those of our libpython, whichever is loaded later.
        # -Bsymbolic: a loader exports functions of the same names, and comes first in the program.
        # RPATH, not RUNPATH: LD_LIBRARY_PATH of the host program must not choose the libpython.
        extra_link_args=[f"-Wl,--version-script={HERE / 'exports.map'}", "-Wl,-z,nodelete", "-Wl,-z,now",
                         "-Wl,-Bsymbolic", "-Wl,-z,defs", "-Wl,--disable-new-dtags", f"-Wl,-rpath,{libdir}",
                         "-Wl,-soname,libclpy.so"])
    with tempfile.TemporaryDirectory() as tmp:
        made = ffi.compile(tmpdir=tmp, target="libclpy.so")
        fresh = folder / f".libclpy.{os.getpid()}.so"
        fresh.write_bytes(Path(made).read_bytes())
    fresh.chmod(0o755)
    fresh.rename(target)
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(text)


if __name__ == "__main__":
    build(Path(sys.argv[1]).resolve())
