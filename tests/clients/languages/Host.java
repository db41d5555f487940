// SPDX-License-Identifier: Apache-2.0
// Java with JNA: java -cp jna.jar:FOLDER Host LIBRARY. On the main thread, then on threads with small stacks.
import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;

public class Host {
    public static void main(String[] arguments) throws Exception {
        Function steps = NativeLibrary.getInstance(arguments[0]).getFunction("steps");
        Runnable run = () -> {
            if (steps.invokeInt(new Object[] {"clpy"}) != 0) {
                System.exit(2);
            }
        };
        run.run();
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(null, run, "small", 64 << 10);
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.gc();
    }
}
