/* SPDX-License-Identifier: Apache-2.0
 *
 * Forks of the process: the child has but the thread that forks, so it must not come while another one is in the middle
 * of something that the child cannot go on with.
 */
#include <unistd.h>

enum { LONGEST_WAIT_MS = 2000 };

/* Before there is a core. */
static void wait_for_the_core(void)
{
    for (int i = 0; i < LONGEST_WAIT_MS && atomic_load(&coming_up) > 0 && !in_start; i++)
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

static void fork_prepare(void)
{
    atomic_load(&the_core)->fork_begins();
}

static void fork_parent(void)
{
    atomic_load(&the_core)->fork_ends_in_parent();
}

static void fork_child(void)
{
    if (atomic_load(&the_core))
        atomic_load(&the_core)->fork_ends_in_child();
}
