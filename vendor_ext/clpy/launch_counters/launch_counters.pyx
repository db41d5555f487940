# SPDX-License-Identifier: Apache-2.0
"""The answer to CL_PROFILING_LAUNCH_COUNTERS_CLPY."""
from clpy.api.info cimport info_object
from clpy.cl cimport cl_int
from clpy.core.command cimport Command
from clpy.core.interpreter cimport call_python
from clpy.spec.consts cimport CL_OUT_OF_RESOURCES, CL_PROFILING_INFO_NOT_AVAILABLE

from clpy.trace import report_fault

ctypedef struct Question:
    Command *cmd
    size_t size
    void *value
    size_t *size_ret
    cl_int result


cdef void ask(void *given) noexcept with gil:
    cdef Question *question = <Question *>given
    cdef Command *cmd = question.cmd
    try:
        question.result = info_object(cmd.queue.device.ops.tell(cmd.task.told), question.size, question.value,
                                      question.size_ret)
    except BaseException as error:
        report_fault("the counters of a launch", error)


cdef cl_int launch_counters(Command *cmd, size_t size, void *value, size_t *size_ret) noexcept nogil:
    """The event is complete, and its queue profiles."""
    cdef Question question = Question(cmd, size, value, size_ret, CL_OUT_OF_RESOURCES)
    if cmd.task.told == NULL:
        return CL_PROFILING_INFO_NOT_AVAILABLE
    call_python(ask, &question)
    return question.result
