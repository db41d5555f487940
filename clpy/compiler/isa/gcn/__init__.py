# SPDX-License-Identifier: Apache-2.0
"""AMD Graphics Core Next: gfx600 to gfx906."""
