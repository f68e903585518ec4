// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <span>

#include "models/isa/vector/lane_kernels.hpp"
#include "models/numbers/math.hpp"

namespace ascendsim::isa {
namespace {

using namespace lane;  // NOLINT(google-build-using-namespace): this file is one of its parts

struct Abs {
    template <class T>
    T operator()(T x) const {
        if constexpr (std::is_integral_v<T>) {
            return static_cast<T>(x < 0 ? T{} - wrapping(x) : wrapping(x));
        } else {
            return std::fabs(x);
        }
    }
};

// The elementary functions have array forms that run at the host's vector speed.
template <class T, void (*function)(std::span<const T>, std::span<T>)>
void array(void* dst, const void* a, const void*, ScalarBits, std::size_t n) {
    function({static_cast<const T*>(a), n}, {static_cast<T*>(dst), n});
}

struct Relu {
    template <class T>
    T operator()(T x) const {
        return x > T{} ? x : T{};
    }
};

struct Not {
    template <class T>
    T operator()(T x) const {
        return static_cast<T>(~x);
    }
};

struct Neg {
    template <class T>
    T operator()(T x) const {
        return static_cast<T>(T{} - wrapping(x));
    }
};

struct Same {
    template <class T>
    T operator()(T x) const {
        return x;
    }
};

template <class Function, class Types>
constexpr LaneEntry unary(OpInfo info, const VectorCost VectorSpec::*cost, Types types) {
    LaneEntry entry{.info = info, .cost = cost, .source_count = 1};
    fill_one<Function>(entry, types);
    return entry;
}

constexpr LaneEntry copies() {
    LaneEntry entry{.info = {"vcopy", "Copies lanes within the unified buffer."},
                    .cost = &VectorSpec::simple,
                    .source_count = 1};
    fill_one<Same>(entry,
                   For<std::int8_t,
                       std::uint8_t,
                       std::int16_t,
                       std::uint16_t,
                       std::int32_t,
                       std::uint32_t,
                       std::int64_t,
                       std::uint64_t,
                       float>{});
    entry.kernels[static_cast<std::size_t>(DataType::half)] = &map_one<std::uint16_t, Same>;
    entry.kernels[static_cast<std::size_t>(DataType::bfloat16)] = &map_one<std::uint16_t, Same>;
    return entry;
}

template <void (*halves)(std::span<const half>, std::span<half>),
          void (*floats)(std::span<const float>, std::span<float>)>
constexpr LaneEntry elementary(OpInfo info, const VectorCost VectorSpec::*cost) {
    LaneEntry entry{.info = info, .cost = cost, .source_count = 1};
    entry.kernels[static_cast<std::size_t>(DataType::half)] = &array<half, halves>;
    entry.kernels[static_cast<std::size_t>(DataType::float32)] = &array<float, floats>;
    return entry;
}

using V = VectorSpec;

constexpr LaneEntry table[]{
    unary<Abs>({"vabs", "Absolute value."}, &V::simple, Numbers{}),
    elementary<numbers::exp, numbers::exp>({"vexp", "Natural exponential."}, &V::exp),
    elementary<numbers::ln, numbers::ln>({"vln", "Natural logarithm."}, &V::ln),
    elementary<numbers::sqrt, numbers::sqrt>({"vsqrt", "Square root."}, &V::sqrt),
    elementary<numbers::rsqrt, numbers::rsqrt>({"vrsqrt", "Reciprocal of the square root."}, &V::rsqrt),
    elementary<numbers::reciprocal, numbers::reciprocal>({"vrec", "Reciprocal."}, &V::reciprocal),
    unary<Relu>({"vrelu", "Larger of the value and zero."}, &V::simple, Numbers{}),
    unary<Not>({"vnot", "Complements every bit."}, &V::simple, Integers{}),
    unary<Neg>({"vneg", "Changes the sign."}, &V::simple, Numbers{}),
    copies(),
};

}  // namespace

Instructions unary_instructions() {
    return instructions_of(table);
}

const LaneEntry& unary_entry(LaneOp op) {
    return table[static_cast<std::size_t>(op)];
}

}  // namespace ascendsim::isa
