// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/plan/knob.hpp"
#include "models/port/data_type.hpp"

namespace ascendsim::host {

/// What a buffer in global memory is to its kernel.
enum class Role : std::uint8_t { input, output, in_out, workspace, tiling };

/// How a buffer's content comes about before the run. Random ones depend on the scenario's seed and the
/// buffer's name.
namespace fill {
struct Zeros {};

struct Constant {
    double value = 1;
};

/// Each element from [low, high).
struct Uniform {
    double low = -1;
    double high = 1;
};

struct Normal {
    double mean = 0;
    double deviation = 1;
};

/// start, start + step, …
struct Arange {
    double start = 0;
    double step = 1;
};

/// Each element one of low … high, both included.
struct Integers {
    std::int64_t low = 0;
    std::int64_t high = 1;
};

/// A `.npy` file of the buffer's type and element count.
struct Npy {
    std::filesystem::path file;
};

/// The bytes themselves.
struct Content {
    std::vector<std::byte> bytes;
};
}  // namespace fill

using Fill = std::variant<fill::Zeros,
                          fill::Constant,
                          fill::Uniform,
                          fill::Normal,
                          fill::Arange,
                          fill::Integers,
                          fill::Npy,
                          fill::Content>;

/// One argument in global memory.
struct Buffer {
    std::string name;
    isa::DataType type = isa::DataType::half;
    Shape shape;
    Role role = Role::input;
    Fill fill = fill::Zeros{};
    bool control =
        false;  // its data steers the kernel (indices, tiling): filled and copied even in a timing-only run

    [[nodiscard]] std::uint64_t count() const { return elements(shape); }

    [[nodiscard]] std::uint64_t bytes() const { return isa::bytes_of(type, count()); }

    [[nodiscard]] static Buffer input(std::string name,
                                      isa::DataType type,
                                      Shape shape,
                                      Fill fill = fill::Uniform{}) {
        return {.name = std::move(name),
                .type = type,
                .shape = std::move(shape),
                .role = Role::input,
                .fill = std::move(fill)};
    }

    [[nodiscard]] static Buffer output(std::string name, isa::DataType type, Shape shape) {
        return {.name = std::move(name), .type = type, .shape = std::move(shape), .role = Role::output};
    }

    /// Scratch of `bytes`, zeroed.
    [[nodiscard]] static Buffer workspace(std::string name, std::uint64_t bytes) {
        return {
            .name = std::move(name), .type = isa::DataType::uint8, .shape = {bytes}, .role = Role::workspace};
    }
    /// A struct in global memory that the kernel reads its sizes from.
    template <class T>
    requires std::is_trivially_copyable_v<T>

    [[nodiscard]] static Buffer tiling(std::string name, const T& values) {
        std::vector<std::byte> bytes(sizeof(T));
        std::memcpy(bytes.data(), &values, sizeof(T));
        return {.name = std::move(name),
                .type = isa::DataType::uint8,
                .shape = {sizeof(T)},
                .role = Role::tiling,
                .fill = fill::Content{std::move(bytes)},
                .control = true};
    }
};

}  // namespace ascendsim::host
