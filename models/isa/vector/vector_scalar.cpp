// SPDX-License-Identifier: Apache-2.0
#include "models/isa/vector/lane_kernels.hpp"

namespace ascendsim::isa {
namespace {

using namespace lane;  // NOLINT(google-build-using-namespace): this file is one of its parts

struct Adds {
    template <class T>
    T operator()(T a, T s) const {
        return static_cast<T>(wrapping(a) + wrapping(s));
    }
};

struct Muls {
    template <class T>
    T operator()(T a, T s) const {
        return static_cast<T>(wrapping(a) * wrapping(s));
    }
};

struct Maxs {
    template <class T>
    T operator()(T a, T s) const {
        return a > s ? a : s;
    }
};

struct Mins {
    template <class T>
    T operator()(T a, T s) const {
        return a < s ? a : s;
    }
};

// A distance of the type's width or more shifts every bit out.
struct ShiftLeft {
    template <class T>
    T operator()(T a, T s) const {
        const auto distance = static_cast<std::uint64_t>(s);
        return distance >= sizeof(T) * 8 ? T{} : static_cast<T>(static_cast<std::uint64_t>(a) << distance);
    }
};

struct ShiftRight {
    template <class T>
    T operator()(T a, T s) const {
        const auto distance = static_cast<std::uint64_t>(s);
        const std::uint64_t last = sizeof(T) * 8 - 1;
        if (distance > last) {
            return std::is_signed_v<T> ? static_cast<T>(a >> last) : T{};
        }
        return static_cast<T>(a >> distance);
    }
};

// Adds the last bit shifted out.
struct ShiftRightRound {
    template <class T>
    T operator()(T a, T s) const {
        const auto distance = static_cast<std::uint64_t>(s);
        if (distance == 0 || distance > sizeof(T) * 8) {
            return ShiftRight{}(a, s);
        }
        const auto wide = static_cast<std::int64_t>(a);
        return static_cast<T>((wide >> distance) + ((wide >> (distance - 1)) & 1));
    }
};

struct LeakyRelu {
    float operator()(float a, float s) const { return a >= 0.0F ? a : a * s; }
};

template <class T>
void fill(void* dst, const void*, const void*, ScalarBits scalar, std::size_t n) {
    auto* out = static_cast<T*>(dst);
    const T value = scalar.as<T>();
    for (std::size_t i = 0; i < n; ++i) {
        out[i] = value;
    }
}

template <class Function, class Types>
constexpr LaneEntry with_scalar(OpInfo info, Types types) {
    LaneEntry entry{.info = info, .cost = &VectorSpec::simple, .source_count = 1};
    fill_scalar<Function>(entry, types);
    return entry;
}

constexpr LaneEntry duplicates() {
    LaneEntry entry{.info = {"vector_dup", "Fills lanes with a scalar."}, .cost = &VectorSpec::duplicate};
    for (std::size_t type = 0; type < data_type_count; ++type) {
        const std::uint32_t width = bits(static_cast<DataType>(type));
        entry.kernels[type] = width == 8    ? &fill<std::uint8_t>
                              : width == 16 ? &fill<std::uint16_t>
                              : width == 32 ? &fill<std::uint32_t>
                              : width == 64 ? &fill<std::uint64_t>
                                            : nullptr;
    }
    return entry;
}

constexpr LaneEntry table[]{
    with_scalar<Adds>({"vadds", "Sum of a tensor and a scalar."}, Numbers{}),
    with_scalar<Muls>({"vmuls", "Product of a tensor and a scalar."}, Numbers{}),
    with_scalar<Maxs>({"vmaxs", "Larger of a tensor and a scalar."}, Numbers{}),
    with_scalar<Mins>({"vmins", "Smaller of a tensor and a scalar."}, Numbers{}),
    with_scalar<ShiftLeft>({"vshl", "Shifts bits to the left."}, Integers{}),
    with_scalar<ShiftRight>({"vshr", "Shifts bits to the right; signed types keep their sign."}, Integers{}),
    with_scalar<ShiftRightRound>({"vshr_round", "Shifts bits to the right and rounds."}, Integers{}),
    with_scalar<LeakyRelu>({"vlrelu", "Scales negative values."}, Floats{}),
    duplicates(),
};

}  // namespace

Instructions vector_scalar_instructions() {
    return instructions_of(table);
}

const LaneEntry& scalar_entry(LaneOp op) {
    return table[static_cast<std::size_t>(op) - static_cast<std::size_t>(LaneOp::adds)];
}

}  // namespace ascendsim::isa
