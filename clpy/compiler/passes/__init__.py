# SPDX-License-Identifier: Apache-2.0
"""The passes of the list in ../pipeline.py, a module each, and nothing else. None imports another one."""
