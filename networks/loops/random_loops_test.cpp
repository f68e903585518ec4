// SPDX-License-Identifier: Apache-2.0
// Small graphs at random: numbers as in doubles, no hazard. Further seeds, each in a process of its own:
//   for s in $(seq 2000); do ASCENDSIM_LOOP_SEED=$s networks_loops_test --gtest_filter=RandomLoop.*; done
#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include "networks/loops/testing/loop_run.hpp"

namespace ascendsim::networks::loops {
namespace {

using isa::DataType;
using testing::KernelRun;
using testing::LoopBuilder;

/// Builds a graph whose values stay within -1 … 1, so that errors stay those of single roundings.
class RandomLoop {
public:
    explicit RandomLoop(std::uint32_t seed) : random_{seed} {
        constexpr std::array types{DataType::float32, DataType::half, DataType::bfloat16};
        type_ = types.at(below(types.size()));
        const std::size_t rank = 1 + below(3);
        for (std::size_t d = 0; d < rank; ++d) {
            full_.push_back(1 + below(d + 1 == rank ? 300 : 12));
        }
        for (std::size_t d = 0; d < rank; ++d) {
            if (below(2) == 0) {
                reduced_.push_back(d);
            }
        }
    }

    Loop run() {
        add_input(full_);
        add_input(some_axes());
        add_input(some_axes());
        for (std::size_t i = 4 + below(8); i > 0; --i) {
            add_step();
        }
        // What is left over joins the output.
        std::size_t sum = 0;
        for (std::size_t i = 1; i < shapes_.size(); i += 2) {
            sum = mean_of(sum, i, type_);
        }
        std::vector<std::size_t> outputs{b_.step(Op::tanh, {sum}, full_, type_)};
        if (below(2) == 0) {
            outputs.push_back(b_.step(Op::sub, {0, outputs[0]}, full_, type_));
        }
        return b_.outputs(outputs);
    }

private:
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

    host::Shape some_axes() {
        host::Shape shape = full_;
        for (std::uint64_t& extent : shape) {
            extent = below(2) == 0 ? 1 : extent;
        }
        return shape;
    }

    void add_input(const host::Shape& shape) {
        b_.input(shape, type_);
        shapes_.push_back(shape);
    }

    host::Shape joined_shape(std::size_t a, std::size_t b) const {
        host::Shape shape = shapes_[a];
        for (std::size_t d = 0; d < shape.size(); ++d) {
            shape[d] = std::max(shape[d], shapes_[b][d]);
        }
        return shape;
    }

    std::size_t step(Op op,
                     std::vector<std::size_t> inputs,
                     host::Shape shape,
                     std::vector<double> constants = {},
                     std::vector<std::size_t> axes = {}) {
        shapes_.push_back(shape);
        return b_.step(op, std::move(inputs), shape, type_, std::move(constants), std::move(axes));
    }

    /// (a + b) / 2, not among the values to choose from.
    std::size_t mean_of(std::size_t a, std::size_t b, DataType type) {
        const std::size_t sum = b_.step(Op::add, {a, b}, full_, type);
        return b_.step(Op::scale, {sum}, full_, type, {0.5, 0});
    }

    void add_step() {
        constexpr std::array unary{
            Op::tanh, Op::abs, Op::sigmoid, Op::sin, Op::cos, Op::erf, Op::neg, Op::relu, Op::square};
        const std::size_t a = below(shapes_.size());
        const std::size_t b = below(shapes_.size());
        const bool has_reduced =
            std::ranges::any_of(reduced_, [&](std::size_t d) { return shapes_[a][d] > 1; });
        const bool all_there =
            std::ranges::all_of(reduced_, [&](std::size_t d) { return shapes_[a][d] == full_[d]; });
        switch (below(6)) {
            case 0:
                static_cast<void>(step(unary.at(below(unary.size())), {a}, shapes_[a]));
                return;
            case 1:
                static_cast<void>(step(Op::mul, {a, b}, joined_shape(a, b)));
                return;
            case 2:
                static_cast<void>(
                    step(below(2) == 0 ? Op::maximum : Op::minimum, {a, b}, joined_shape(a, b)));
                return;
            case 3: {
                const std::size_t sum = step(below(2) == 0 ? Op::add : Op::sub, {a, b}, joined_shape(a, b));
                static_cast<void>(step(Op::scale, {sum}, shapes_[sum], {0.5, 0}));
                return;
            }
            case 4: {  // of inputs, which are the same in both arithmetics
                const std::size_t less = step(Op::less, {0, 1}, joined_shape(0, 1));
                host::Shape shape = joined_shape(a, b);
                for (std::size_t d = 0; d < shape.size(); ++d) {
                    shape[d] = std::max(shape[d], shapes_[less][d]);
                }
                static_cast<void>(step(Op::where, {less, a, b}, shape));
                return;
            }
            default:
                if (!reduced_.empty() && has_reduced && all_there && reductions_ < 2) {
                    ++reductions_;
                    constexpr std::array kinds{Op::reduce_mean, Op::reduce_max, Op::reduce_min};
                    host::Shape shape = shapes_[a];
                    std::ranges::for_each(reduced_, [&shape](std::size_t d) { shape[d] = 1; });
                    static_cast<void>(step(kinds.at(below(kinds.size())), {a}, shape, {}, reduced_));
                }
        }
    }

    std::mt19937 random_;
    DataType type_ = DataType::float32;
    host::Shape full_;
    std::vector<std::size_t> reduced_;
    std::size_t reductions_ = 0;
    std::vector<host::Shape> shapes_;
    LoopBuilder b_;
};

void run_seed(std::uint32_t seed) {
    const Loop loop = RandomLoop{seed}.run();
    try {
        const KernelRun run = testing::run_loop(loop);
        EXPECT_TRUE(run.clean()) << "seed " << seed << "\n" << run.report();
    } catch (const CannotGenerate& error) {
        ::testing::Test::RecordProperty("refused", error.what());
        EXPECT_TRUE(error.reason() == Reason::reduced_axes || error.reason() == Reason::reduced_twice ||
                    error.reason() == Reason::partial_output)
            << "seed " << seed << ": " << error.what();
    }
}

class RandomLoops : public ::testing::TestWithParam<std::uint32_t> {};

}  // namespace

TEST_P(RandomLoops, RunAsInDoubles) {
    run_seed(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomLoops, ::testing::Range(1U, 25U));

TEST(RandomLoop, OfASeedRunsAsInDoubles) {
    const char* seed = std::getenv("ASCENDSIM_LOOP_SEED");
    if (seed == nullptr) {
        GTEST_SKIP() << "set ASCENDSIM_LOOP_SEED to a number";
    }
    run_seed(static_cast<std::uint32_t>(std::strtoul(seed, nullptr, 10)));
}

}  // namespace ascendsim::networks::loops
