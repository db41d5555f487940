# SPDX-License-Identifier: Apache-2.0
"""The one exception that becomes an OpenCL error code. Raised inside, turned into the code by the generated entries."""


class CLError(Exception):
    """An OpenCL error: `code` is the negative enumerant's value, `why` a sentence for the log."""

    def __init__(self, code, why=""):
        super().__init__(code, why)
        self.code = code
        self.why = why

    def __str__(self):
        from clpy.spec.names import error_name
        return f"{error_name(self.code)}: {self.why}" if self.why else error_name(self.code)
