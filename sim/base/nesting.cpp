// SPDX-License-Identifier: Apache-2.0
#include "sim/base/nesting.hpp"

namespace ascendsim {

bool nested_deeper(std::string_view json, std::size_t most) {
    std::size_t depth = 0;
    bool in_string = false;
    for (std::size_t at = 0; at < json.size(); ++at) {
        const char letter = json[at];
        if (letter == '"') {
            in_string = !in_string;
        } else if (in_string) {
            at += letter == '\\' ? 1 : 0;
        } else if (letter == '[' || letter == '{') {
            if (++depth > most) {
                return true;
            }
        } else if ((letter == ']' || letter == '}') && depth > 0) {
            --depth;
        }
    }
    return false;
}

}  // namespace ascendsim
