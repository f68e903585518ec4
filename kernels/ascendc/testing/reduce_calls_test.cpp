// SPDX-License-Identifier: Apache-2.0
// Whole tensors to one value: results to the last bit, in the order that the documentation of ReduceSum gives
// for each generation, and the instructions that each call issues.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/numbers/half.hpp"
#include "models/port/testing/plain_core.hpp"

struct ReduceArguments {
    std::uint32_t how, with_index, count, lanes, repeats, stride, work;
};

using ReduceCalls = void(std::uint8_t*, std::uint8_t*, std::uint32_t, std::uint32_t, ReduceArguments);
extern "C" ReduceCalls reduce_calls_910b, reduce_calls_310p;

namespace ascendsim::isa {
namespace {

constexpr std::uint32_t most_elements = 32768;

/// The sum of `values` as a binary tree over the next power of two, as the vector unit adds a repeat.
template <class T>
T tree(std::vector<T> values) {
    std::size_t size = 1;
    while (size < values.size()) {
        size *= 2;
    }
    values.resize(size, T{0.0F});
    for (; size > 1; size /= 2) {
        for (std::size_t i = 0; i < size / 2; ++i) {
            values[i] = values[2 * i] + values[2 * i + 1];
        }
    }
    return values[0];
}

template <class T>
class ReduceCall {
public:
    static constexpr std::uint32_t repeat = 256 / sizeof(T);

    ReduceCall() {
        x_ = reinterpret_cast<T*>(memory_.allocate("x", most_elements * sizeof(T)));
        y_ = reinterpret_cast<T*>(memory_.allocate("y", 64));
        std::uint32_t seed = 1;
        for (std::uint32_t i = 0; i < most_elements; ++i) {
            seed = seed * 1664525U + 1013904223U;
            x_[i] = T{static_cast<float>(seed >> 12U) / 131072.0F - 4.0F};  // -4 to 4
        }
    }

    void run(bool old_chip, ReduceArguments arguments) {
        PlainCore core{chip_, memory_, old_chip ? CoreKind::coupled : CoreKind::aiv};
        const std::uint32_t used = most_elements / 2;
        (old_chip ? reduce_calls_310p : reduce_calls_910b)(reinterpret_cast<std::uint8_t*>(x_),
                                                           reinterpret_cast<std::uint8_t*>(y_),
                                                           sizeof(T),
                                                           used,
                                                           arguments);
        const std::vector<TimedOp>& all = core.ops();
        const auto is_barrier = [](const TimedOp& op) { return op.info->name == "pipe_barrier_all"; };
        const auto first = std::ranges::find_if(all, is_barrier);
        const auto last = std::find_if(first + 1, all.end(), is_barrier);
        names_.clear();
        for (auto op = first + 1; op != last; ++op) {
            if (op->kind != OpKind::wait_flag) {
                names_ += (names_.empty() ? "" : " ") + word(*op);
            }
        }
    }

    T* x() { return x_; }

    [[nodiscard]] T value() const { return y_[0]; }

    [[nodiscard]] std::uint32_t index() const {
        std::uint32_t index = 0;
        std::memcpy(&index, &y_[1], sizeof(T));
        return index;
    }

    /// What the call issued: v an instruction of the vector unit, b its barrier, V, S and M a flag from the
    /// vector unit to the scalar unit and from that to the vector unit and to MTE3, l and s a load and a
    /// store.
    [[nodiscard]] const std::string& names() const { return names_; }

    [[nodiscard]] std::vector<T> part(std::uint32_t first, std::uint32_t count) const {
        return {x_ + first, x_ + first + count};
    }

    [[nodiscard]] std::vector<T> sums(std::uint32_t count) const {
        std::vector<T> sums;
        for (std::uint32_t first = 0; first < count; first += repeat) {
            sums.push_back(tree(part(first, std::min(repeat, count - first))));
        }
        return sums;
    }

    /// Sums of repeats of `left`, until one is left.
    [[nodiscard]] static T staged(std::vector<T> left) {
        while (left.size() > 1) {
            std::vector<T> next;
            for (std::size_t first = 0; first < left.size(); first += repeat) {
                const auto end =
                    static_cast<std::ptrdiff_t>(std::min<std::size_t>(first + repeat, left.size()));
                next.push_back(tree(
                    std::vector<T>{left.begin() + static_cast<std::ptrdiff_t>(first), left.begin() + end}));
            }
            left = next;
        }
        return left[0];
    }

private:
    static std::string word(const TimedOp& op) {
        if (op.kind == OpKind::set_flag) {
            return op.pipe == Pipe::vector ? "V" : static_cast<Pipe>(op.b) == Pipe::vector ? "S" : "M";
        }
        return op.info->name == "scalar_buffer_load"    ? "l"
               : op.info->name == "scalar_buffer_store" ? "s"
               : op.info->name.starts_with("vc")        ? "v"
                                                        : "b";
    }

    ChipSpec chip_;
    GlobalMemory memory_{1U << 24U};
    T* x_ = nullptr;
    T* y_ = nullptr;
    std::string names_;
};

template <class T>
class ReduceCallsOf : public testing::Test {
protected:
    static constexpr std::uint32_t repeat = ReduceCall<T>::repeat;
    static constexpr std::uint32_t behind = most_elements / 2;

    static std::vector<std::uint32_t> counts() {
        return {1, 5, repeat, repeat + 1, 2 * repeat, 3 * repeat + 7, 40 * repeat, 100 * repeat + 3};
    }

    ReduceCall<T> call;
};

using Types = testing::Types<half, float>;
TYPED_TEST_SUITE(ReduceCallsOf, Types);

TYPED_TEST(ReduceCallsOf, AddRepeatAfterRepeatByCountOnThe910B) {
    for (const std::uint32_t count : this->counts()) {
        TypeParam sum{0.0F};
        for (const TypeParam part : this->call.sums(count)) {
            sum = sum + part;
        }
        this->call.run(false, {.count = count, .work = this->behind});
        EXPECT_EQ(float{this->call.value()}, float{sum}) << count;
        EXPECT_EQ(this->call.names(), "v V s S M");
    }
}

TYPED_TEST(ReduceCallsOf, AddFullRepeatsAndTheRestApartOnTheOlderChips) {
    for (const std::uint32_t count : this->counts()) {
        const std::uint32_t full = count < this->repeat ? count : count / this->repeat * this->repeat;
        TypeParam sum = this->call.staged(this->call.sums(full));
        if (full != count) {
            sum = sum + tree(this->call.part(full, count - full));
        }
        this->call.run(true, {.count = count, .work = this->behind});
        EXPECT_EQ(float{this->call.value()}, float{sum}) << count;
    }
}

TYPED_TEST(ReduceCallsOf, AddSumsInStagesWithAMask) {
    for (const bool old_chip : {false, true}) {
        for (const std::uint32_t repeats : {1U, 2U, 40U, 100U}) {
            this->call.run(old_chip,
                           {.lanes = this->repeat, .repeats = repeats, .stride = 8, .work = this->behind});
            EXPECT_EQ(float{this->call.value()},
                      float{this->call.staged(this->call.sums(repeats * this->repeat))})
                << repeats;
        }
    }
}

TYPED_TEST(ReduceCallsOf, FindTheFirstExtreme) {
    for (const bool old_chip : {false, true}) {
        for (const std::uint32_t count : this->counts()) {
            const TypeParam* begin = this->call.x();
            const auto less = [](TypeParam a, TypeParam b) { return float{a} < float{b}; };
            const TypeParam* largest = std::max_element(begin, begin + count, less);
            const TypeParam* smallest = std::min_element(begin, begin + count, less);
            this->call.run(old_chip, {.how = 1, .count = count, .work = this->behind});
            EXPECT_EQ(float{this->call.value()}, float{*largest}) << count;
            this->call.run(old_chip, {.how = 1, .with_index = 1, .count = count, .work = this->behind});
            EXPECT_EQ(float{this->call.value()}, float{*largest}) << count;
            EXPECT_EQ(this->call.index(), largest - begin) << count;
            this->call.run(old_chip, {.how = 2, .with_index = 1, .count = count});  // over the tensor itself
            EXPECT_EQ(float{this->call.value()}, float{*smallest}) << count;
            EXPECT_EQ(this->call.index(), smallest - begin) << count;
        }
    }
}

TYPED_TEST(ReduceCallsOf, CountPlacesByStrideWithAMask) {
    // Every other repeat of 3 lanes; the largest in the last.
    this->call.x()[8 * this->repeat + 2] = TypeParam{100.0F};
    this->call.run(false,
                   {.how = 1, .with_index = 1, .lanes = 3, .repeats = 5, .stride = 16, .work = this->behind});
    EXPECT_EQ(float{this->call.value()}, 100.0F);
    EXPECT_EQ(this->call.index(), 8 * this->repeat + 2);
}

TYPED_TEST(ReduceCallsOf, TakeMoreRepeatsThanAnInstruction) {
    ReduceArguments arguments{.lanes = this->repeat, .repeats = 300, .stride = 0, .work = this->behind};
    this->call.run(false, arguments);
    const TypeParam one = tree(this->call.part(0, this->repeat));
    EXPECT_EQ(float{this->call.value()}, float{this->call.staged(std::vector<TypeParam>(300, one))});
    EXPECT_EQ(this->call.names().substr(0, 5), "v v b");  // 255 repeats and 45
    arguments.how = 1;
    this->call.run(false, arguments);
    EXPECT_EQ(float{this->call.value()},
              float{std::ranges::max(
                  this->call.part(0, this->repeat), {}, [](TypeParam value) { return float{value}; })});
}

TYPED_TEST(ReduceCallsOf, LeaveTheLastWordToTheScalarUnit) {
    const std::uint32_t n = this->repeat;
    const auto issued = [&](ReduceArguments arguments, bool old_chip = false) {
        arguments.work = this->behind;
        this->call.run(old_chip, arguments);
        return this->call.names();
    };
    // Of one repeat: an instruction, and the scalar unit takes its value; a pair needs no scalar unit.
    EXPECT_EQ(issued({.how = 1, .count = n}), "v V l s S M");
    EXPECT_EQ(issued({.how = 1, .with_index = 1, .count = n}), "v");
    // Of two: always three passes without an index; two and the indices' way back with one.
    EXPECT_EQ(issued({.how = 2, .count = 2 * n}), "v b v b v V l s S M");
    EXPECT_EQ(issued({.how = 2, .with_index = 1, .count = 2 * n}), "v b v b V l l l s s S M");
    // Of one and a rest: both, then these two.
    EXPECT_EQ(issued({.how = 1, .count = n + 1}), "v V l s S M V l v V l s S M V l s s S v V l s S M");
    EXPECT_EQ(issued({.how = 1, .with_index = 1, .count = n + 1}), "v V l l v V l l s s S v V l s S M");
    // Sums with a mask: two passes, a third from a repeat of repeats on, whose result is the vector unit's.
    EXPECT_EQ(issued({.lanes = n, .repeats = 2, .stride = 8}), "v b v b V l s S M");
    EXPECT_EQ(issued({.lanes = n, .repeats = n + 1, .stride = 0}), "v b v b v");
    // A sum by count on the 310P; the scalar unit waits once more, for a rest that might follow.
    EXPECT_EQ(issued({.count = 2 * n}, true), "v b v b V l s S M V");
    EXPECT_EQ(issued({.count = 0, .lanes = n}), "");
}

}  // namespace
}  // namespace ascendsim::isa
