# SPDX-License-Identifier: Apache-2.0
"""The same for Python; config needs it before anything else is there."""


def secure_mode():
    return in_secure_mode()
