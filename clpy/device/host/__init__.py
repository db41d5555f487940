# SPDX-License-Identifier: Apache-2.0
"""What devices need that run on threads of this process: threads, memory, groups, printf, the machine itself."""
