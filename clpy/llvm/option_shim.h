/* SPDX-License-Identifier: Apache-2.0
 * An option of LLVM that has no interface but its command line.
 */
#ifndef CLPY_OPTION_SHIM_H
#define CLPY_OPTION_SHIM_H

#include <llvm/Support/CommandLine.h>
static void clpy_set_option(const char *Name, const char *Value) {
  auto &Options = llvm::cl::getRegisteredOptions();
  auto It = Options.find(Name);
  if (It != Options.end())
    It->second->addOccurrence(0, Name, Value);
}

#endif
