// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/plan/buffer.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::host {

/// How far each element of an output may be off for the data of this run, beyond the plan's tolerance.
using ElementErrors = std::function<double(std::uint64_t)>;

/// What a reference function sees: the inputs as they were before the run, and room for the outputs it
/// expects.
class ReferenceData {
public:
    /// Adds a buffer; `bytes` is its content before the run and must outlive this.
    void add(const Buffer& buffer, std::span<const std::byte> bytes);

    /// A buffer's content as floats; converted once. half, bfloat16 and float32 are exact.
    [[nodiscard]] const std::vector<float>& floats(std::string_view name);

    /// A buffer's content as it lies in memory; T must be as wide as its elements.
    template <class T>
    [[nodiscard]] std::span<const T> view(std::string_view name) const {
        const Entry& entry = find(name);
        check(isa::bits(entry.buffer->type) == 8 * sizeof(T),
              "view of '{}' through a type of another width",
              name);
        return {reinterpret_cast<const T*>(entry.bytes.data()), entry.bytes.size() / sizeof(T)};
    }

    /// The expected elements of an output, to be filled; starts as zeros of the output's count.
    [[nodiscard]] std::vector<double>& expected(std::string_view name);

    /// For outputs whose error depends on their operands; none if it is not set.
    void set_errors(std::string_view name, ElementErrors errors);

    [[nodiscard]] const ElementErrors& errors(std::string_view name) const { return find(name).errors; }

    [[nodiscard]] const Buffer& buffer(std::string_view name) const { return *find(name).buffer; }

private:
    struct Entry {
        const Buffer* buffer = nullptr;
        std::span<const std::byte> bytes;
        std::vector<float> floats;
        std::vector<double> expected;
        ElementErrors errors;
    };

    [[nodiscard]] const Entry& find(std::string_view name) const;

    std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace ascendsim::host
