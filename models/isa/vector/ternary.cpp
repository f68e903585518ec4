// SPDX-License-Identifier: Apache-2.0
// Product and sum are rounded each, also in half, which is computed in float: tests of PTO-ISA (taxpy,
// tmuladddst, tfusedmuladd, tfusedmuladdrelu) expect what that gives.
#include "models/isa/vector/lane_kernels.hpp"

namespace ascendsim::isa {
namespace {

using namespace lane;  // NOLINT(google-build-using-namespace): this file is one of its parts

struct Axpy {
    template <class T>
    T operator()(T dst, T a, T s) const {
        return static_cast<T>(wrapping(a) * wrapping(s) + wrapping(dst));
    }
};

struct AxpyOfHalf {
    float operator()(float dst, float a, float s) const { return static_cast<float>(half{a * s}) + dst; }
};

struct MulAddDst {
    template <class T>
    T operator()(T dst, T a, T b) const {
        return static_cast<T>(wrapping(a) * wrapping(b) + wrapping(dst));
    }
};

struct MulAddDstOfHalf {
    float operator()(float dst, float a, float b) const { return static_cast<float>(half{a * b}) + dst; }
};

struct FusedMulAdd {
    template <class T>
    T operator()(T dst, T a, T b) const {
        return static_cast<T>(wrapping(a) * wrapping(dst) + wrapping(b));
    }
};

struct FusedMulAddOfHalf {
    float operator()(float dst, float a, float b) const { return static_cast<float>(half{a * dst}) + b; }
};

template <class MulAdd>
struct ThenRelu {
    template <class T>
    T operator()(T dst, T a, T b) const {
        const T sum = MulAdd{}(dst, a, b);
        return sum > T{} ? sum : T{};
    }
};

// A source that is narrower than the destination is converted to its arithmetic type first.
template <class To, class From>
class Source {
public:
    [[nodiscard]] const Wide<To>* load(const From* from, std::size_t n) { return chunk_.load(from, n); }

private:
    static_assert(std::is_same_v<Wide<To>, Wide<From>>);
    WideChunk<From> chunk_;
};

template <class To, class From, class Function>
void map_three(void* dst, const void* a, const void* b, ScalarBits, std::size_t n) {
    Source<To, From> left;
    Source<To, From> right;
    WideChunk<To> old;
    // A chunk bounds the pieces even where the destination needs no conversion, since the sources may.
    for (std::size_t begin = 0; begin < n; begin += chunk) {
        const std::size_t count = std::min(chunk, n - begin);
        To* to = static_cast<To*>(dst) + begin;
        const Wide<To>* x = left.load(static_cast<const From*>(a) + begin, count);
        const Wide<To>* y = right.load(static_cast<const From*>(b) + begin, count);
        const Wide<To>* before = old.load(to, count);
        Wide<To>* out = old.target(to);
        for (std::size_t i = 0; i < count; ++i) {
            out[i] = static_cast<Wide<To>>(Function{}(before[i], x[i], y[i]));
        }
        old.store(to, count);
    }
}

template <class To, class From, class Function>
void map_axpy(void* dst, const void* a, const void*, ScalarBits scalar, std::size_t n) {
    Source<To, From> source;
    WideChunk<To> old;
    const auto value = static_cast<Wide<To>>(scalar.as<From>());
    for (std::size_t begin = 0; begin < n; begin += chunk) {
        const std::size_t count = std::min(chunk, n - begin);
        To* to = static_cast<To*>(dst) + begin;
        const Wide<To>* x = source.load(static_cast<const From*>(a) + begin, count);
        const Wide<To>* before = old.load(to, count);
        Wide<To>* out = old.target(to);
        for (std::size_t i = 0; i < count; ++i) {
            out[i] = static_cast<Wide<To>>(Function{}(before[i], x[i], value));
        }
        old.store(to, count);
    }
}

template <class Function, class... Types>
constexpr LaneEntry three(OpInfo info, const VectorCost VectorSpec::*cost, For<Types...>) {
    LaneEntry entry{.info = info, .cost = cost, .source_count = 2, .reads_dst = true};
    ((entry.kernels[static_cast<std::size_t>(data_type<Types>())] = &map_three<Types, Types, Function>), ...);
    return entry;
}

/// Half has a function of its own.
template <class OfHalf, class OfOthers, class... Types>
constexpr LaneEntry with_half(OpInfo info, const VectorCost VectorSpec::*cost, For<Types...> types) {
    LaneEntry entry = three<OfOthers>(info, cost, types);
    entry.kernels[static_cast<std::size_t>(DataType::half)] = &map_three<half, half, OfHalf>;
    return entry;
}

constexpr LaneEntry axpy() {
    LaneEntry entry{.info = {"vaxpy", "Adds a scaled tensor."},
                    .cost = &VectorSpec::simple,
                    .source_count = 1,
                    .reads_dst = true};
    entry.kernels[static_cast<std::size_t>(DataType::half)] = &map_axpy<half, half, AxpyOfHalf>;
    entry.kernels[static_cast<std::size_t>(DataType::float32)] = &map_axpy<float, float, Axpy>;
    return entry;
}

using V = VectorSpec;

constexpr LaneEntry table[]{
    axpy(),
    with_half<MulAddDstOfHalf, MulAddDst>({"vmla", "Adds a product to the destination."},
                                          &V::multiply_add,
                                          For<float, std::int16_t, std::int32_t>{}),
    with_half<FusedMulAddOfHalf, FusedMulAdd>(
        {"vmadd", "Multiplies the destination and adds."}, &V::fused_multiply_add, For<float>{}),
    with_half<ThenRelu<FusedMulAddOfHalf>, ThenRelu<FusedMulAdd>>(
        {"vmaddrelu", "Multiplies the destination, adds, and clips at zero."},
        &V::fused_multiply_add,
        For<float>{}),
};

}  // namespace

Instructions ternary_instructions() {
    return instructions_of(table);
}

const LaneEntry& ternary_entry(LaneOp op) {
    return table[static_cast<std::size_t>(op) - static_cast<std::size_t>(LaneOp::axpy)];
}

LaneKernel ternary_half_to_float(LaneOp op) {
    if (op == LaneOp::axpy) {
        return &map_axpy<float, half, Axpy>;
    }
    return op == LaneOp::mul_add_dst ? &map_three<float, half, MulAddDst> : nullptr;
}

}  // namespace ascendsim::isa
