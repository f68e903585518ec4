// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "toolchain/installation/installation.hpp"

namespace ascendsim::cli {

/// What `ascendsim op --list` is asked for.
struct OperatorListChoice {
    std::string folder;     // of the library
    std::string name;       // of one operator alone, in any spelling; empty: all
    std::string chip;       // of models/chips
    std::string json;       // a file, "-", or empty
    std::string document;   // a page, whose section of this library is written anew; empty: none
    bool examples = false;  // run each operator's own example, too
};

/// Tells for each operator of a library that is for the chip, experiments included, whether it can be called,
/// or what stands in the way, and with `examples` how its first program examples/test_aclnn_….cpp runs; of
/// one operator also the definitions for other chips. Throws UserError.
void list_operators(const OperatorListChoice& choice, const toolchain::Installation& installation);

}  // namespace ascendsim::cli
