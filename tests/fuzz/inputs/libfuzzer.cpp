// SPDX-License-Identifier: Apache-2.0
// The same for libFuzzer, which looks for inputs that reach new code: FUZZ_KIND names the kind.
#include <cstdlib>
#include <cstring>

#include "tests/fuzz/inputs/inputs.hpp"

namespace {

const fuzz::InputKind& kind() {
    const char* const wanted = std::getenv("FUZZ_KIND");
    for (const fuzz::InputKind& one : fuzz::input_kinds()) {
        if (wanted != nullptr && one.name == wanted) {
            return one;
        }
    }
    return fuzz::input_kinds().front();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const fuzz::InputKind& chosen = kind();
    const std::string bytes = chosen.repaired({reinterpret_cast<const char*>(data), size});
    if (!fuzz::wrong_with(chosen, bytes).empty()) {
        std::abort();
    }
    return 0;
}
