// SPDX-License-Identifier: Apache-2.0
#include "app/version/version.hpp"

namespace ascendsim {

std::string_view release() {
    return ASCENDSIM_VERSION;
}

std::string version() {
    return std::string{release()} + " (commit " + std::string{commit()} + ")";
}

}  // namespace ascendsim
