// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/plan/buffer.hpp"
#include "kernels/plan/reference_data.hpp"
#include "models/port/core_use.hpp"

namespace ascendsim::host {

/// One kernel argument: the address of a buffer, or a value (scalar or struct) by its bytes.
struct Argument {
    std::string buffer;        // empty: a value
    std::uint64_t offset = 0;  // B, added to the buffer's address
    std::vector<std::byte> value;

    [[nodiscard]] static Argument address(std::string buffer, std::uint64_t offset = 0) {
        return {.buffer = std::move(buffer), .offset = offset, .value = {}};
    }
    template <class T>
    requires std::is_trivially_copyable_v<T>

    [[nodiscard]] static Argument of(const T& value) {
        std::vector<std::byte> bytes(sizeof(T));
        std::memcpy(bytes.data(), &value, sizeof(T));
        return {.buffer = {}, .offset = 0, .value = std::move(bytes)};
    }
};

/// One kernel launch, as `entry<<<blocks>>>(arguments)`.
struct Launch {
    std::string entry;         // function in the kernel's file, as in "add_custom" or "add_custom<half>"
    std::uint32_t blocks = 1;  // on a mix launch, of AI core groups
    CoreUse cores = CoreUse::aiv;
    std::vector<Argument> arguments;
    std::string label;   // in reports; empty: the entry
    std::string kernel;  // the in-tree kernel whose plug-in holds the entry; empty: the plan's own
};

/// How far an output may be from the reference. An element passes if |got - expected| <= absolute + relative
/// * |expected| + what the reference states for the element (ReferenceData::set_errors), or if it lies within
/// `ulp` steps of the output's type, or if both are NaN or the same infinity.
struct Tolerance {
    std::string output;
    double absolute = 0;
    double relative = 0;
    std::uint32_t ulp = 0;
};

/// The arithmetic a problem needs whatever the schedule: the bounds of a run derive from it.
struct Work {
    double cube_flops = 0;  // 2 for a multiply-accumulate
    isa::DataType cube_type = isa::DataType::half;
    double vector_flops = 0;  // 1 for an elementary operation on an element
    isa::DataType vector_type = isa::DataType::half;
    std::uint64_t gm_bytes = 0;  // least traffic: each input once, each output once

    [[nodiscard]] double flops() const { return cube_flops + vector_flops; }
};

/// Everything a run needs of a kernel: buffers, launches in order, what to expect.
struct Plan {
    std::string problem;  // as in "SwiGLU [32, 512, 4096] x 16384, float16, optimised"
    std::vector<Buffer> buffers;
    std::vector<Launch> launches;
    Work work;
    /// Computes the expected outputs; empty: outputs are not checked.
    std::function<void(ReferenceData&)> reference;
    std::vector<Tolerance> tolerances;  // one per output to be checked
    /// What knobs that leave it to the plan became, by their names; how many blocks, the launches tell.
    std::map<std::string, std::uint64_t> chosen{};
};

/// Bytes of all buffers but workspaces: what a kernel moves at the least, each input once and each output
/// once.
[[nodiscard]] inline std::uint64_t least_traffic(const std::vector<Buffer>& buffers) {
    std::uint64_t bytes = 0;
    for (const Buffer& buffer : buffers) {
        bytes += buffer.role == Role::workspace ? 0 : buffer.bytes();
    }
    return bytes;
}

}  // namespace ascendsim::host
