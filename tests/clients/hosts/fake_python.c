/* SPDX-License-Identifier: Apache-2.0
 * Stands for the libpython of another version: says which one it is, and ends the process when anything else is used.
 */
#include <stdlib.h>

const char *Py_GetVersion(void)
{
    return VERSION " (main, Jan  1 2020, 00:00:00)";
}

int Py_IsInitialized(void)
{
    abort();
}

int PyGILState_Ensure(void)
{
    abort();
}

void Py_InitializeFromConfig(void)
{
    abort();
}
