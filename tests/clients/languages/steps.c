/* SPDX-License-Identifier: Apache-2.0
 * A library for hosts in other languages: one platform from its listing to a right result. Says how far it came.
 */
#include "../hosts/host.h"

int steps(const char *platform_name);

__attribute__((visibility("default")))
int steps(const char *platform_name)
{
    struct job job;
    cl_platform_id platform = find_platform(platform_name);
    if (!platform)
        return 1;
    printf("%s listed\n", platform_name);
    job_make(&job, platform);
    printf("%s built\n", platform_name);
    job_launch(&job, 5);
    job_check(&job, 5);
    job_release(&job);
    printf("%s right\n", platform_name);
    fflush(stdout);
    return 0;
}
