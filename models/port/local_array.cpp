// SPDX-License-Identifier: Apache-2.0
#include "models/port/local_array.hpp"

#include <cstddef>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include "models/port/core_port.hpp"

namespace ascendsim::isa {
namespace {

constexpr OpInfo array_load_info{"array_load", "The scalar unit reads an array of the kernel's own."};
constexpr OpInfo array_store_info{"array_store", "The scalar unit writes an array of the kernel's own."};
constexpr OpInfo variable_info{"variable", "The scalar unit uses a variable of the kernel's own."};

}  // namespace

Instructions local_array_instructions() {
    return {&array_load_info, &array_store_info, &variable_info};
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

void ascendsim_value_unset(const char* file, std::uint32_t line, const char* what) {
    using namespace ascendsim::isa;
    if (!CorePort::running() || CorePort::current().observer() == nullptr) {
        return;
    }
    CorePort::current().tell_beyond(variable_info,
                                    {file, line},
                                    fmt::format("goes on with {}, which it has never written", what),
                                    ascendsim::Pipe::scalar);
}

void ascendsim_index_beyond(
    const char* file, std::uint32_t line, std::int64_t index, std::uint64_t elements, std::uint32_t write) {
    using namespace ascendsim::isa;
    if (!CorePort::running() || CorePort::current().observer() == nullptr) {
        return;
    }
    CorePort& core = CorePort::current();
    const std::string message = fmt::format("{} element {} of an array of its own, which has {} elements",
                                            write != 0 ? "writes" : "reads",
                                            index,
                                            elements);
    if (write != 0) {
        core.fail(array_store_info, {file, line}, message, ascendsim::Pipe::scalar);
    }
    core.tell_beyond(array_load_info, {file, line}, message, ascendsim::Pipe::scalar);
}

void ascendsim_fill_unset(void* array,
                          std::uint64_t bytes,
                          std::uint64_t content,
                          std::uint32_t element_bytes) {
    auto* at = static_cast<std::byte*>(array);
    for (std::uint64_t i = 0; i + element_bytes <= bytes; i += element_bytes) {
        std::memcpy(at + i, &content, element_bytes);  // the lower bytes come first
    }
}
