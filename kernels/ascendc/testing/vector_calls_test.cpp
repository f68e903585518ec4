// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>

#include <gtest/gtest.h>

#include "models/isa/sync/synchronise.hpp"
#include "models/port/testing/plain_core.hpp"

extern "C" void vector_calls(
    std::uint8_t* x, std::uint8_t* y, std::uint8_t* out, std::uint8_t* workspace, std::uint8_t* tiling);

namespace ascendsim::isa {
namespace {

constexpr std::uint32_t row = 64;
constexpr std::uint32_t rows = 31;

struct Tiling {
    std::uint32_t count = row;
    float factors[2]{0.0F, 0.5F};
};

class VectorCalls : public testing::Test {
protected:
    VectorCalls() {
        for (std::uint32_t i = 0; i < row; ++i) {
            x[i] = static_cast<float>((i * 37) % row) * 0.25F;  // all different
            y[i] = 1.0F + static_cast<float>((i * 11) % 16);
        }
    }

    void run() {
        PlainCore core{chip, memory, CoreKind::aiv};
        set_tiling_key(7);
        auto* data = reinterpret_cast<Tiling*>(tiling);
        *data = Tiling{};
        vector_calls(bytes(x), bytes(y), bytes(out), workspace, tiling);
        ops = core.ops();
    }

    using Value = std::function<float(std::uint32_t)>;

    void expect(std::uint32_t index, const char* what, const Value& value, float tolerance = 0.0F) {
        for (std::uint32_t i = 0; i < row; ++i) {
            ASSERT_NEAR(out[index * row + i], value(i), tolerance) << what << " at " << i;
        }
    }

    static std::uint8_t* bytes(float* data) { return reinterpret_cast<std::uint8_t*>(data); }

    float* tensor(const char* name, std::uint32_t n) {
        return reinterpret_cast<float*>(memory.allocate(name, n * 4));
    }

    ChipSpec chip;
    GlobalMemory memory{1U << 26U};
    float* x = tensor("x", row);
    float* y = tensor("y", row);
    float* out = tensor("out", row* rows);
    std::uint8_t* workspace = reinterpret_cast<std::uint8_t*>(memory.allocate("workspace", 64));
    std::uint8_t* tiling = reinterpret_cast<std::uint8_t*>(memory.allocate("tiling", sizeof(Tiling), true));
    std::vector<TimedOp> ops;
};

TEST_F(VectorCalls, GiveTheResultsOfTheirDefinitions) {
    run();
    const float sum = std::accumulate(x, x + row, 0.0F);
    std::uint32_t next = 0;
    expect(next++, "Add", [&](auto i) { return x[i] + y[i]; });
    expect(next++, "Sub", [&](auto i) { return x[i] - y[i]; });
    expect(next++, "Mul, Muls", [&](auto i) { return x[i] * y[i] * 0.5F; });
    expect(
        next++, "Div", [&](auto i) { return x[i] / y[i]; }, 1e-6F);
    expect(
        next++, "Exp, Ln", [&](auto i) { return x[i]; }, 1e-5F);
    expect(next++, "Axpy", [&](auto i) { return 2.0F * x[i]; });
    expect(next++, "Max, first lanes", [&](auto i) { return i < 10 ? std::max(x[i], y[i]) : 0.0F; });
    expect(next++, "Min, even lanes", [&](auto i) { return i % 2 == 0 ? std::min(x[i], y[i]) : 0.0F; });
    expect(next++, "Adds, counter mode", [&](auto i) { return i < 20 ? x[i] + 1.0F : 0.0F; });
    expect(next++, "Cast", [&](auto i) { return std::nearbyint(x[i]); });
    expect(next++, "Compare, Select", [&](auto i) { return std::max(x[i], y[i]); });
    expect(next++, "CompareScalar, Select", [&](auto i) { return x[i] < 5.0F ? x[i] : -1.0F; });
    expect(next++, "ReduceSum", [&](auto i) { return i == 0 ? sum : 0.0F; });
    const float last = static_cast<float>(row - 1) * 0.25F;
    EXPECT_EQ(out[next * row], last);
    std::uint32_t index = 0;
    std::memcpy(&index, &out[next++ * row + 1], 4);
    EXPECT_EQ(x[index], last);
    expect(next++, "WholeReduceMin", [&](auto) { return 0.0F; });
    expect(next++, "BlockReduceSum", [&](auto i) {
        return i < 8 ? std::accumulate(x + 8 * i, x + 8 * i + 8, 0.0F) : 0.0F;
    });
    expect(next++, "GetValue", [&](auto) { return sum; });
    expect(next++, "GetReduceRepeatSumSpr", [&](auto) { return 0.5F * 4 * row; });
    expect(next++, "Gather", [&](auto i) { return x[row - 1 - i]; });
    expect(next++, "Brcb", [&](auto i) { return x[i / 8]; });
    expect(next++, "GatherMask", [&](auto i) { return i < 32 ? x[2 * i] : 0.0F; });
    expect(next++, "Copy", [&](auto i) { return x[i]; });
    expect(next++, "DataCopy", [&](auto i) { return y[i]; });
    expect(next++, "Sort", [&](auto i) { return last - 0.25F * static_cast<float>(i); });
    expect(next++, "ArithProgression, CreateVecIndex, unaligned", [&](auto i) {
        const float at = static_cast<float>(i);
        return i >= 3 && i < 7 ? 1.0F + 0.5F * (at - 3.0F) : i >= 61 ? 7.0F + (at - 61.0F) : 0.0F;
    });
    const auto sigmoid = [&](std::uint32_t i) { return 1.0F / (1.0F + std::exp(-x[i])); };
    expect(next++, "Sigmoid", sigmoid, 1e-6F);
    expect(
        next++, "Silu", [&](auto i) { return x[i] * sigmoid(i); }, 1e-5F);
    expect(next++, "Floor", [&](auto i) { return std::floor(x[i]); });
    expect(
        next++, "Log2", [&](auto i) { return std::log2(y[i]); }, 1e-5F);
    expect(next++, "Abs, mask register", [&](auto i) { return i < 16 ? x[i] : 0.0F; });
    expect(next++, "InitGlobalMemory, SetAtomicAdd", [&](auto i) { return 1.0F + 2.0F * y[i]; });
    EXPECT_EQ(next, rows);
}

TEST_F(VectorCalls, LeaveNoFlagSet) {
    run();
    std::map<std::tuple<int, int, unsigned>, int> set;
    for (const TimedOp& op : ops) {
        int& flag = set[{op.a, op.b, op.id}];
        if (op.kind == OpKind::set_flag) {
            EXPECT_EQ(flag++, 0) << "set twice at line " << op.site.line;
        } else if (op.kind == OpKind::wait_flag) {
            EXPECT_EQ(flag--, 1) << "waited for, but not set, at line " << op.site.line;
        }
    }
    EXPECT_TRUE(std::ranges::all_of(set, [](const auto& flag) { return flag.second == 0; }));
}

TEST_F(VectorCalls, KnowTheirLines) {
    run();
    const auto add = std::ranges::find_if(ops, [](const TimedOp& op) { return op.info->name == "vadd"; });
    ASSERT_NE(add, ops.end());
    EXPECT_NE(std::string_view{add->site.file}.find("vector_calls.cpp"), std::string_view::npos);
    EXPECT_GT(add->site.line, 60U);
}

}  // namespace
}  // namespace ascendsim::isa
