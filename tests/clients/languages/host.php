<?php
// SPDX-License-Identifier: Apache-2.0
// PHP with FFI: php host.php LIBRARY.
$library = FFI::cdef("int steps(const char *platform);", $argv[1]);
exit($library->steps("clpy"));
