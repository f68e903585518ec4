// SPDX-License-Identifier: Apache-2.0
#include "kernels/plan/content.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "kernels/plan/element.hpp"
#include "kernels/plan/npy.hpp"

namespace ascendsim::host {
namespace {

/// A random word for each index: splitmix64 of a counter.
class Stream {
public:
    Stream(std::uint64_t seed, std::string_view name) : base_{seed} {
        for (const char letter : name) {
            base_ = (base_ ^ static_cast<unsigned char>(letter)) * 0x100000001B3U;
        }
        base_ = mix(base_);
    }

    [[nodiscard]] std::uint64_t word(std::uint64_t i) const { return mix(base_ + i * 0x9E3779B97F4A7C15U); }

    /// From [0, 1).
    [[nodiscard]] double unit(std::uint64_t i) const { return static_cast<double>(word(i) >> 11U) * 0x1p-53; }

private:
    static std::uint64_t mix(std::uint64_t z) {
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31U);
    }

    std::uint64_t base_;
};

template <class Value>
void each(const Buffer& buffer, std::span<std::byte> bytes, Value&& value) {
    const std::uint64_t count = buffer.count();
    if (buffer.type == isa::DataType::half) {  // by far the most common
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::uint16_t bits = float_to_half(static_cast<float>(value(i)));
            std::memcpy(bytes.data() + 2 * i, &bits, sizeof bits);
        }
        return;
    }
    for (std::uint64_t i = 0; i < count; ++i) {
        write_element(buffer.type, bytes, i, value(i));
    }
}

void copy_file(const Buffer& buffer, const std::filesystem::path& file, std::span<std::byte> bytes) {
    const NpyArray array = read_npy(file, buffer.name);
    if (elements(array.shape) != buffer.count()) {
        throw UserError{"{}: {}: its shape {} has {} elements, {} needs {} as {}",
                        buffer.name,
                        file.string(),
                        text(array.shape),
                        elements(array.shape),
                        text(buffer.shape),
                        buffer.count(),
                        isa::name(buffer.type)};
    }
    const bool raw16 = buffer.type == isa::DataType::bfloat16 && array.type == isa::DataType::uint16;
    if (array.type == buffer.type || raw16) {
        std::ranges::copy(array.bytes, bytes.begin());
        return;
    }
    if (buffer.type == isa::DataType::int4 && array.type == isa::DataType::int8) {
        each(buffer, bytes, [&](std::uint64_t i) { return read_element(array.type, array.bytes, i); });
        return;
    }
    throw UserError{"{}: {}: holds {}, the argument is {}",
                    buffer.name,
                    file.string(),
                    isa::name(array.type),
                    isa::name(buffer.type)};
}

struct Writer {
    const Buffer& buffer;
    Stream random;
    std::span<std::byte> bytes;

    void operator()(const fill::Zeros&) const { std::ranges::fill(bytes, std::byte{0}); }

    void operator()(const fill::Constant& constant) const {
        each(buffer, bytes, [&](std::uint64_t) { return constant.value; });
    }

    void operator()(const fill::Uniform& uniform) const {
        const double width = uniform.high - uniform.low;
        each(buffer, bytes, [&](std::uint64_t i) { return uniform.low + width * random.unit(i); });
    }

    void operator()(const fill::Normal& normal) const {
        each(buffer, bytes, [&](std::uint64_t i) {
            const double radius = std::sqrt(-2 * std::log(1 - random.unit(2 * i)));
            return normal.mean +
                   normal.deviation * radius * std::cos(2 * std::numbers::pi * random.unit(2 * i + 1));
        });
    }

    void operator()(const fill::Arange& range) const {
        each(buffer, bytes, [&](std::uint64_t i) {
            return range.start + range.step * static_cast<double>(i);
        });
    }

    void operator()(const fill::Integers& integers) const {
        const auto choices = static_cast<std::uint64_t>(integers.high - integers.low) + 1;
        each(buffer, bytes, [&](std::uint64_t i) {
            return static_cast<double>(integers.low + static_cast<std::int64_t>(random.word(i) % choices));
        });
    }

    void operator()(const fill::Npy& npy) const { copy_file(buffer, npy.file, bytes); }

    void operator()(const fill::Content& content) const {
        check(content.bytes.size() == bytes.size(),
              "content of '{}' has {} bytes, not {}",
              buffer.name,
              content.bytes.size(),
              bytes.size());
        std::ranges::copy(content.bytes, bytes.begin());
    }
};

}  // namespace

void write_content(const Buffer& buffer, std::uint64_t seed, std::span<std::byte> bytes) {
    check(bytes.size() == buffer.bytes(),
          "'{}' has {} bytes, not {}",
          buffer.name,
          buffer.bytes(),
          bytes.size());
    std::visit(Writer{buffer, Stream{seed, buffer.name}, bytes}, buffer.fill);
}

}  // namespace ascendsim::host
