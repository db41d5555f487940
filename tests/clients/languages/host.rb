# SPDX-License-Identifier: Apache-2.0
# Ruby with Fiddle: ruby host.rb LIBRARY. In the first thread, then on others.
require "fiddle"

steps = Fiddle::Function.new(Fiddle.dlopen(ARGV[0])["steps"], [Fiddle::TYPE_VOIDP], Fiddle::TYPE_INT)
first = steps.call("clpy")
others = Array.new(3) { Thread.new { steps.call("clpy") } }.map(&:value)
exit([first, *others].all?(0) ? 0 : 2)
