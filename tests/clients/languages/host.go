// SPDX-License-Identifier: Apache-2.0

// Go with cgo: on the main goroutine, then on eight at once, whose threads have stacks and signals of Go's.
package main

// int steps(const char *platform_name);
import "C"

import (
	"os"
	"runtime"
	"sync"
)

func main() {
	var all sync.WaitGroup
	run := func() {
		if C.steps(C.CString("clpy")) != 0 {
			os.Exit(2)
		}
	}
	run()
	for i := 0; i < 8; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			run()
			runtime.GC()
		}()
	}
	all.Wait()
}
