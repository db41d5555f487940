// SPDX-License-Identifier: Apache-2.0
// Rust: on the main thread, then on threads with small stacks.
use std::ffi::CString;
use std::thread;

extern "C" {
    fn steps(platform: *const std::os::raw::c_char) -> i32;
}

fn run() {
    let name = CString::new("clpy").unwrap();
    assert_eq!(unsafe { steps(name.as_ptr()) }, 0);
}

fn main() {
    run();
    let threads: Vec<_> = (0..4)
        .map(|_| thread::Builder::new().stack_size(64 << 10).spawn(run).unwrap())
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
}
