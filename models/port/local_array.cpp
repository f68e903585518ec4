// SPDX-License-Identifier: Apache-2.0
#include "models/port/local_array.hpp"

#include <fmt/format.h>

#include "models/port/core_port.hpp"

namespace ascendsim::isa {
namespace {

constexpr OpInfo array_load_info{"array_load", "The scalar unit reads an array of the kernel's own."};

}  // namespace

Instructions local_array_instructions() {
    return {&array_load_info};
}

}  // namespace ascendsim::isa

void ascendsim_array_unwritten(const char* file,
                               std::uint32_t line,
                               std::uint64_t offset,
                               std::uint64_t bytes) {
    using namespace ascendsim::isa;
    if (!CorePort::running() || CorePort::current().observer() == nullptr) {
        return;
    }
    CorePort::current().tell_beyond(
        array_load_info,
        {file, line},
        fmt::format("reads bytes [{}, {}) of a variable of its own that it has never written",
                    offset,
                    offset + bytes),
        ascendsim::Pipe::scalar);
}
