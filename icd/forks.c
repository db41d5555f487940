/* SPDX-License-Identifier: Apache-2.0
 *
 * Forks of the process: the child has but the thread that forks, so it must not come while another one is in the middle
 * of something that the child cannot go on with.
 */
#include <unistd.h>

enum { LONGEST_WAIT_MS = 2000 };

/* Before there is a core. Where the thread has the GIL nobody gets on, and there is no sense in waiting. */
static void wait_for_the_core(void)
{
    for (int i = 0; i < LONGEST_WAIT_MS && atomic_load(&coming_up) > 0 && !(Py_IsInitialized() && holds_gil()); i++)
        usleep(1000);
}

static void give_up_in_child(void)
{
    if (atomic_load(&coming_up) > 0) {
        atomic_store(&failed, 1);   /* nobody goes on with it */
        atomic_store(&the_core, NULL);
    }
    atomic_store(&coming_up, 0);
}

static void see_early_forks(void)
{
    pthread_atfork(wait_for_the_core, NULL, give_up_in_child);
}

static void forks_are_seen(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, see_early_forks);
}

/* An interpreter of our own must be whole in the child. A joined one is the host's: its os.fork does this. */
static __thread PyGILState_STATE fork_state;

static void fork_prepare(void)
{
    atomic_load(&the_core)->fork_begins();
    if (!interpreter_is_ours)
        return;
    fork_state = PyGILState_Ensure();
    PyOS_BeforeFork();
}

static void fork_parent(void)
{
    if (interpreter_is_ours) {
        PyOS_AfterFork_Parent();
        PyGILState_Release(fork_state);
    }
    atomic_load(&the_core)->fork_ends_in_parent();
}

static void fork_child(void)
{
    if (!atomic_load(&the_core))
        return;
    atomic_load(&the_core)->fork_ends_in_child();
    if (!interpreter_is_ours)
        return;
    PyOS_AfterFork_Child();
    PyGILState_Release(fork_state);
}
