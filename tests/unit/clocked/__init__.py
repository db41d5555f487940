# SPDX-License-Identifier: Apache-2.0
"""A device with a clock of its own, for tests: it becomes clpy.device.clocked."""
