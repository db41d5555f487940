// SPDX-License-Identifier: Apache-2.0
// C# with Mono: mono Host.exe. In the first thread, then on others, with a garbage collection in between.
using System;
using System.Linq;
using System.Runtime.InteropServices;
using System.Threading;

static class Host
{
    [DllImport("libsteps.so")]
    static extern int steps(string platform);

    static int Main()
    {
        int wrong = steps("clpy");
        GC.Collect();
        var threads = Enumerable.Range(0, 4).Select(_ => new Thread(() =>
        {
            if (steps("clpy") != 0)
                Interlocked.Increment(ref wrong);
        }, 64 << 10)).ToList();
        threads.ForEach(thread => thread.Start());
        threads.ForEach(thread => thread.Join());
        return wrong;
    }
}
