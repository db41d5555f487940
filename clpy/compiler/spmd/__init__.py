# SPDX-License-Identifier: Apache-2.0
"""What makes work-groups of work-items: regions between barriers, and vectors. The passes that use it: ../passes."""
