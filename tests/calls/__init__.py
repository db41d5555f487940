# SPDX-License-Identifier: Apache-2.0
"""Calls at random: any function of the API with valid and invalid arguments. `python -m tests.calls.run --help`."""
