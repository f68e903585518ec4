// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <span>

#include "models/isa/vector/lane_kernels.hpp"
#include "models/numbers/math.hpp"

namespace ascendsim::isa {
namespace {

using namespace lane;  // NOLINT(google-build-using-namespace): this file is one of its parts

struct Add {
    template <class T>
    T operator()(T a, T b) const {
        return static_cast<T>(wrapping(a) + wrapping(b));
    }
};

struct Sub {
    template <class T>
    T operator()(T a, T b) const {
        return static_cast<T>(wrapping(a) - wrapping(b));
    }
};

struct Mul {
    template <class T>
    T operator()(T a, T b) const {
        return static_cast<T>(wrapping(a) * wrapping(b));
    }
};

struct Max {
    template <class T>
    T operator()(T a, T b) const {
        return a > b ? a : b;
    }
};

struct Min {
    template <class T>
    T operator()(T a, T b) const {
        return a < b ? a : b;
    }
};

struct And {
    template <class T>
    T operator()(T a, T b) const {
        return static_cast<T>(a & b);
    }
};

struct Or {
    template <class T>
    T operator()(T a, T b) const {
        return static_cast<T>(a | b);
    }
};

struct Xor {
    template <class T>
    T operator()(T a, T b) const {
        return static_cast<T>(a ^ b);
    }
};

struct AddRelu {
    template <class T>
    T operator()(T a, T b) const {
        return Max{}(Add{}(a, b), T{});
    }
};

struct SubRelu {
    template <class T>
    T operator()(T a, T b) const {
        return Max{}(Sub{}(a, b), T{});
    }
};

struct AbsSub {
    float operator()(float a, float b) const { return std::fabs(a - b); }
};

template <class Function, class Types>
constexpr LaneEntry binary(OpInfo info, const VectorCost VectorSpec::*cost, Types types) {
    LaneEntry entry{.info = info, .cost = cost, .source_count = 2};
    fill_two<Function>(entry, types);
    return entry;
}

template <class T>
void divide(void* dst, const void* a, const void* b, ScalarBits, std::size_t n) {
    numbers::divide(std::span{static_cast<const T*>(a), n},
                    std::span{static_cast<const T*>(b), n},
                    std::span{static_cast<T*>(dst), n});
}

constexpr LaneEntry quotients() {
    LaneEntry entry{
        .info = {"vdiv", "Quotient of two tensors."}, .cost = &VectorSpec::div, .source_count = 2};
    entry.kernels[static_cast<std::size_t>(DataType::half)] = &divide<half>;
    entry.kernels[static_cast<std::size_t>(DataType::float32)] = &divide<float>;
    return entry;
}

using V = VectorSpec;

constexpr LaneEntry table[]{
    binary<Add>({"vadd", "Sum of two tensors."}, &V::simple, Numbers{}),
    binary<Sub>({"vsub", "Difference of two tensors."}, &V::simple, Numbers{}),
    binary<Mul>({"vmul", "Product of two tensors."}, &V::simple, Numbers{}),
    quotients(),
    binary<Max>({"vmax", "Larger of two tensors."}, &V::simple, Numbers{}),
    binary<Min>({"vmin", "Smaller of two tensors."}, &V::simple, Numbers{}),
    binary<And>({"vand", "Bitwise and."}, &V::simple, Integers{}),
    binary<Or>({"vor", "Bitwise or."}, &V::simple, Integers{}),
    binary<Xor>({"vxor", "Bitwise exclusive or."}, &V::simple, Integers{}),
    binary<AddRelu>(
        {"vaddrelu", "Sum, then the larger of it and zero."}, &V::simple, For<half, float, std::int16_t>{}),
    binary<SubRelu>({"vsubrelu", "Difference, then the larger of it and zero."},
                    &V::simple,
                    For<half, float, std::int16_t>{}),
    binary<AbsSub>({"vabssub", "Absolute difference."}, &V::simple, Floats{}),
};

}  // namespace

Instructions binary_instructions() {
    return instructions_of(table);
}

const LaneEntry& binary_entry(LaneOp op) {
    return table[static_cast<std::size_t>(op) - static_cast<std::size_t>(LaneOp::add)];
}

}  // namespace ascendsim::isa
