# SPDX-License-Identifier: Apache-2.0
# Perl with FFI::Platypus: perl host.pl LIBRARY.
use strict;
use warnings;
use FFI::Platypus;

my $ffi = FFI::Platypus->new(api => 1, lib => $ARGV[0]);
my $steps = $ffi->function(steps => ["string"] => "int");
exit($steps->call("clpy"));
