# SPDX-License-Identifier: Apache-2.0
"""The exceptions that what is called from outside knows: an OpenCL error code, and a program that is wrong."""


class CompileError(Exception):
    """The program is wrong; `log` is what its author should read."""

    def __init__(self, log):
        super().__init__(log)
        self.log = log


class CLError(Exception):
    """An OpenCL error, turned into its code by the generated entries: `code` is the enumerant's negative value, `why` a
    sentence for the log."""

    def __init__(self, code, why=""):
        super().__init__(code, why)
        self.code = code
        self.why = why

    def __str__(self):
        from clpy.spec.names import error_name
        return f"{error_name(self.code)}: {self.why}" if self.why else error_name(self.code)
