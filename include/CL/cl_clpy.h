/* SPDX-License-Identifier: Apache-2.0
 *
 * What clpy adds to OpenCL, for host programs.
 */
#ifndef CL_CLPY_H
#define CL_CLPY_H

/* cl_clpy_launch_counters: for clGetEventProfilingInfo, with the event of a kernel on a queue that profiles, when it is
 * complete. The answer is JSON text (char[]): time, counters, and the same by lines of the source; docs/gpu.md says
 * what is in it. CL_PROFILING_INFO_NOT_AVAILABLE: the command was no kernel on a model of a GPU. */
#define CL_PROFILING_LAUNCH_COUNTERS_CLPY 0x434C5001

#endif
