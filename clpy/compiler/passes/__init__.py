# SPDX-License-Identifier: Apache-2.0
"""The SPMD compiler: from a kernel for one work-item to a function for work-groups. The order: ../pipeline.py."""
