# SPDX-License-Identifier: Apache-2.0
"""A macro of LibreOffice's, whose process it ends: host.py's plain()."""
import os
import runpy


def run(*_):
    code = 1
    try:
        host = runpy.run_path(os.environ["HOST_PY"])
        host["sys"].argv[:] = ["host.py", os.environ["HOST_LIBRARY"], "plain"]
        host["plain"]()
        code = 0
    finally:
        os._exit(code) if code else XSCRIPTCONTEXT.getDesktop().terminate()  # noqa: F821
