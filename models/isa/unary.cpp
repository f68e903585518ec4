// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "models/isa/lane_kernels.hpp"

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

struct Exp {
    float operator()(float x) const { return std::exp(x); }
};

struct Ln {
    float operator()(float x) const { return std::log(x); }
};

struct Sqrt {
    float operator()(float x) const { return std::sqrt(x); }
};

struct Rsqrt {
    float operator()(float x) const { return 1.0F / std::sqrt(x); }
};

struct Reciprocal {
    float operator()(float x) const { return 1.0F / x; }
};

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

using V = VectorSpec;

constexpr LaneEntry table[]{
    unary<Abs>({"vabs", "Absolute value."}, &V::simple, Numbers{}),
    unary<Exp>({"vexp", "Natural exponential."}, &V::exp, Floats{}),
    unary<Ln>({"vln", "Natural logarithm."}, &V::ln, Floats{}),
    unary<Sqrt>({"vsqrt", "Square root."}, &V::sqrt, Floats{}),
    unary<Rsqrt>({"vrsqrt", "Reciprocal of the square root."}, &V::rsqrt, Floats{}),
    unary<Reciprocal>({"vrec", "Reciprocal."}, &V::reciprocal, Floats{}),
    unary<Relu>({"vrelu", "Larger of the value and zero."}, &V::simple, Numbers{}),
    unary<Not>({"vnot", "Complements every bit."}, &V::simple, Integers{}),
    unary<Neg>({"vneg", "Changes the sign."}, &V::simple, Numbers{}),
    copies(),
};

}  // namespace

const LaneEntry& unary_entry(LaneOp op) {
    return table[static_cast<std::size_t>(op)];
}

}  // namespace ascendsim::isa
