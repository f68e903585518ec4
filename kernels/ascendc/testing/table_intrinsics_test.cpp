// SPDX-License-Identifier: Apache-2.0
// Each conversion and each operation on lanes by its intrinsic name, against arithmetic of the host.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "kernels/ascendc/testing/alias_table.hpp"
#include "models/numbers/bfloat16.hpp"
#include "models/numbers/half.hpp"
#include "models/port/testing/plain_core.hpp"

extern "C" void table_intrinsics(std::uint8_t* alias, std::uint8_t* x, std::uint8_t* y, std::uint8_t* out);

ascendsim::isa::AliasTable conversion_aliases();
ascendsim::isa::AliasTable operation_aliases();

namespace ascendsim::isa {
namespace {

constexpr std::size_t row_bytes = 256;
constexpr std::size_t row = 64;    // 32-bit lanes of a repeat
constexpr std::size_t lanes = 32;  // that a repeat converts of each type

using Bytes = std::array<std::uint8_t, row_bytes>;

/// A type as conversions name it: its bits and those behind the point of a float.
struct Type {
    std::string_view name;
    int fraction = 0;  // bits of the mantissa; 0: an integer
    double (*load)(const Bytes&, std::size_t);
    void (*store)(Bytes&, std::size_t, double);
};

template <class T>
double load_as(const Bytes& bytes, std::size_t i) {
    T value{};
    std::memcpy(&value, &bytes[i * sizeof(T)], sizeof(T));
    return static_cast<double>(value);
}

template <class T>
void store_as(Bytes& bytes, std::size_t i, double number) {
    T value{};
    if constexpr (std::is_integral_v<T> || std::is_same_v<T, float>) {
        value = static_cast<T>(number);
    } else {
        value = T{static_cast<float>(number)};
    }
    std::memcpy(&bytes[i * sizeof(T)], &value, sizeof(T));
}

/// Four bits with sign, the lower half of a byte first.
double load_nibble(const Bytes& bytes, std::size_t i) {
    const int bits = i % 2 == 0 ? bytes[i / 2] & 15 : bytes[i / 2] >> 4;
    return bits < 8 ? bits : bits - 16;
}

void store_nibble(Bytes& bytes, std::size_t i, double number) {
    const int bits = static_cast<int>(number) & 15;
    const int other = i % 2 == 0 ? bytes[i / 2] & 0xf0 : bytes[i / 2] & 15;
    bytes[i / 2] = static_cast<std::uint8_t>(other | (i % 2 == 0 ? bits : bits << 4));
}

constexpr std::array types{
    Type{"bf16", 7, load_as<bfloat16>, store_as<bfloat16>},
    Type{"f16", 10, load_as<half>, store_as<half>},
    Type{"f32", 23, load_as<float>, store_as<float>},
    Type{"s64", 0, load_as<std::int64_t>, store_as<std::int64_t>},
    Type{"s32", 0, load_as<std::int32_t>, store_as<std::int32_t>},
    Type{"s16", 0, load_as<std::int16_t>, store_as<std::int16_t>},
    Type{"s8", 0, load_as<std::int8_t>, store_as<std::int8_t>},
    Type{"u8", 0, load_as<std::uint8_t>, store_as<std::uint8_t>},
    Type{"s4", 0, load_nibble, store_nibble},
};

/// vconv_FROM2TOx, where x is the rounding: r, a, f, c, z, o or none.
struct Conversion {
    const Type* from = nullptr;
    const Type* to = nullptr;
    char rounding = 'r';  // a name without one loses nothing, or rounds to the nearest
};

Conversion parse(std::string_view name) {
    for (const Type& from : types) {
        for (const Type& to : types) {
            const std::string stem = "vconv_" + std::string{from.name} + "2" + std::string{to.name};
            if (name.starts_with(stem) && name.size() <= stem.size() + 1) {
                return {&from, &to, name.size() > stem.size() ? name.back() : 'r'};
            }
        }
    }
    return {};
}

/// `value` in whole numbers, rounded as the letter says (C API of asc-devkit: _rn, _rna, _rd, _ru, _rz, _ro).
double round_by(char letter, double value) {
    switch (letter) {
        case 'a':
            return std::round(value);
        case 'f':
            return std::floor(value);
        case 'c':
            return std::ceil(value);
        case 'z':
            return std::trunc(value);
        case 'o': {
            const double below = std::floor(value);
            const bool exact = below == value;
            return exact || std::fmod(below, 2.0) != 0 ? below : below + 1;
        }
        default:
            return std::nearbyint(value);
    }
}

/// The distance of numbers of `type` around `value`; float to float is a rounding to whole numbers.
double unit_of(const Conversion& call, double value) {
    if (call.to->fraction == 0 || call.from == call.to) {
        return 1;
    }
    return value == 0 ? 1 : std::exp2(std::floor(std::log2(std::abs(value))) - call.to->fraction);
}

/// Values between two of the result's numbers, on both sides of 0: quarters of their distance.
double operand_of(const Conversion& call, std::size_t i) {
    const double quarters = static_cast<double>(i) - 15;
    const bool to_unsigned = call.to->name == "u8" || call.from->name == "u8";
    if (call.from->fraction == 0) {
        // Whole numbers: beyond what the result's mantissa holds, if it is one.
        const bool narrow = call.from->name == "s4" || call.from->name == "s8" || call.from->name == "u8";
        if (call.to->fraction == 0 || narrow || (call.from->name == "s16" && call.to->fraction > 10)) {
            return to_unsigned ? static_cast<double>(i) : std::trunc(quarters / 2);
        }
        const double large = std::exp2(call.to->fraction + 3);  // numbers of the result are 4 or 8 apart
        return quarters < 0 ? quarters - large : quarters + large;
    }
    if (call.to->fraction == 0 || call.from == call.to) {
        const double most = call.to->name == "s4" ? 0.5 : 1;
        return (to_unsigned ? static_cast<double>(i) : quarters) / 4 * most;
    }
    const double fine = std::exp2(-call.to->fraction - 2);
    return quarters < 0 ? -1 + quarters * fine * 2 : 1 + quarters * fine;
}

class TableIntrinsics : public testing::Test {
protected:
    Bytes call(const Alias& alias) {
        table_intrinsics(const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(&alias)), x, y, out);
        Bytes result{};
        std::memcpy(result.data(), out, row_bytes);
        return result;
    }

    void give(const Bytes& first, const Bytes& second) {
        std::memcpy(x, first.data(), row_bytes);
        std::memcpy(y, second.data(), row_bytes);
    }

    ChipSpec chip;
    GlobalMemory memory{1U << 24U};
    std::uint8_t* x = reinterpret_cast<std::uint8_t*>(memory.allocate("x", row_bytes));
    std::uint8_t* y = reinterpret_cast<std::uint8_t*>(memory.allocate("y", row_bytes));
    std::uint8_t* out = reinterpret_cast<std::uint8_t*>(memory.allocate("out", row_bytes));
    PlainCore core{chip, memory, CoreKind::aiv};
};

TEST_F(TableIntrinsics, ConvertAsTheirNamesSay) {
    std::size_t count = 0;
    for (const Alias* alias = conversion_aliases(); alias->name != nullptr; ++alias, ++count) {
        const Conversion how = parse(alias->name);
        ASSERT_NE(how.from, nullptr) << alias->name;
        Bytes operands{};
        for (std::size_t i = 0; i < lanes; ++i) {
            how.from->store(operands, i, operand_of(how, i));
        }
        give(operands, {});
        const Bytes results = call(*alias);
        for (std::size_t i = 0; i < lanes; ++i) {
            const double value = how.from->load(operands, i);
            const double unit = unit_of(how, value);
            EXPECT_EQ(how.to->load(results, i), round_by(how.rounding, value / unit) * unit)
                << alias->name << " of " << value << " in lane " << i;
        }
    }
    EXPECT_EQ(count, 16U + 15U * 5U);
}

using Floats = std::array<float, row>;

Floats floats(const Bytes& bytes) {
    Floats result{};
    std::memcpy(result.data(), bytes.data(), row_bytes);
    return result;
}

template <class T>
Bytes bytes_of(const std::array<T, row_bytes / sizeof(T)>& values) {
    Bytes result{};
    std::memcpy(result.data(), values.data(), row_bytes);
    return result;
}

/// Lane by lane, what an operation gives of x and y; where it takes the result, too, that was 2.
using Lane = std::function<float(float, float)>;

const std::map<std::string_view, Lane> lane_results{
    {"vabs", [](float a, float) { return std::abs(a); }},
    {"vexp", [](float a, float) { return std::exp(a); }},
    {"vrec", [](float a, float) { return 1 / a; }},
    {"vrelu", [](float a, float) { return std::max(a, 0.0F); }},
    {"vcopy", [](float a, float) { return a; }},
    {"vadd", [](float a, float b) { return a + b; }},
    {"vsub", [](float a, float b) { return a - b; }},
    {"vmul", [](float a, float b) { return a * b; }},
    {"vdiv", [](float a, float b) { return a / b; }},
    {"vmax", [](float a, float b) { return std::max(a, b); }},
    {"vmin", [](float a, float b) { return std::min(a, b); }},
    {"vaddrelu", [](float a, float b) { return std::max(a + b, 0.0F); }},
    {"vsubrelu", [](float a, float b) { return std::max(a - b, 0.0F); }},
    {"vmla", [](float a, float b) { return a * b + 2; }},
    {"vmadd", [](float a, float b) { return a * 2 + b; }},
    {"vmaddrelu", [](float a, float b) { return std::max(a * 2 + b, 0.0F); }},
    {"vadds", [](float a, float) { return a + 3; }},
    {"vmuls", [](float a, float) { return a * 3; }},
    {"vmaxs", [](float a, float) { return std::max(a, 2.0F); }},
    {"vmins", [](float a, float) { return std::min(a, 2.0F); }},
    {"vlrelu", [](float a, float) { return a > 0 ? a : a / 4; }},
    {"vaxpy", [](float a, float) { return 3 * a; }},
    {"vsel", [](float a, float b) { return a < b ? a : b; }},
    {"vsel of a scalar", [](float a, float) { return a > 2 ? a : 5; }},
};
const std::map<std::string_view, Lane> positive_results{
    {"vln", [](float a, float) { return std::log(a); }},
    {"vsqrt", [](float a, float) { return std::sqrt(a); }},
    {"vrsqrt", [](float a, float) { return 1 / std::sqrt(a); }},
};

/// Of row x: -8 to 7.75 without 0, in no order; of row y: another order, with ten equal.
Floats first_row() {
    Floats result{};
    for (std::size_t i = 0; i < row; ++i) {
        result[i] = static_cast<float>((i * 37) % row) * 0.25F - 7.875F;
    }
    return result;
}

Floats second_row() {
    Floats result = first_row();
    std::ranges::reverse(result);
    std::copy_n(first_row().begin(), 10, result.begin());
    return result;
}

class LaneIntrinsics : public TableIntrinsics {
protected:
    const Alias& find(std::string_view name) {
        const Alias* alias = operation_aliases();
        while (alias->name != nullptr && alias->name != name) {
            ++alias;
        }
        EXPECT_NE(alias->name, nullptr) << name;
        return *alias;
    }

    Floats result(std::string_view name) { return floats(call(find(name))); }

    std::uint64_t bits(std::string_view name) {
        const Bytes bytes = call(find(name));
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data(), sizeof word);
        return word;
    }

    const Floats a = first_row();
    const Floats b = second_row();
};

TEST_F(LaneIntrinsics, ComputeEachLane) {
    give(bytes_of(a), bytes_of(b));
    for (const auto& [name, expected] : lane_results) {
        const Floats values = result(name);
        for (std::size_t i = 0; i < row; ++i) {
            EXPECT_FLOAT_EQ(values[i], expected(a[i], b[i])) << name << " in lane " << i;
        }
    }
    Floats positive = a;
    std::ranges::transform(positive, positive.begin(), [](float value) { return std::abs(value); });
    give(bytes_of(positive), {});
    for (const auto& [name, expected] : positive_results) {
        const Floats values = result(name);
        for (std::size_t i = 0; i < row; ++i) {
            EXPECT_FLOAT_EQ(values[i], expected(positive[i], 0)) << name << " in lane " << i;
        }
    }
}

TEST_F(LaneIntrinsics, TakeBitsAndWholeNumbers) {
    std::array<std::uint16_t, 128> p{};
    std::array<std::uint16_t, 128> q{};
    std::array<std::int32_t, row> n{};
    for (std::size_t i = 0; i < p.size(); ++i) {
        p[i] = static_cast<std::uint16_t>(i * 509);
        q[i] = static_cast<std::uint16_t>(i * 1021 + 7);
    }
    for (std::size_t i = 0; i < row; ++i) {
        n[i] = static_cast<std::int32_t>(i * 1000) - 31000;
    }
    const auto words = [&](std::string_view name) {
        std::array<std::uint16_t, 128> result{};
        const Bytes bytes = call(find(name));
        std::memcpy(result.data(), bytes.data(), row_bytes);
        return result;
    };
    give(bytes_of(p), bytes_of(q));
    const auto both = words("vand");
    const auto either = words("vor");
    const auto inverted = words("vnot");
    for (std::size_t i = 0; i < p.size(); ++i) {
        EXPECT_EQ(both[i], p[i] & q[i]);
        EXPECT_EQ(either[i], p[i] | q[i]);
        EXPECT_EQ(inverted[i], static_cast<std::uint16_t>(~p[i]));
    }
    give(bytes_of(n), {});
    const Bytes left = call(find("vshl"));
    const Bytes right = call(find("vshr"));
    for (std::size_t i = 0; i < row; ++i) {
        EXPECT_EQ(load_as<std::int32_t>(left, i), n[i] * 8);
        EXPECT_EQ(load_as<std::int32_t>(right, i), std::floor(n[i] / 4.0)) << "of " << n[i];
    }
}

TEST_F(LaneIntrinsics, ReduceARepeatBlocksAndPairs) {
    Floats whole = a;
    std::ranges::transform(whole, whole.begin(), [](float value) { return value + 0.125F; });  // exact sums
    give(bytes_of(whole), {});
    float total = 0;
    for (const float value : whole) {
        total += value;
    }
    EXPECT_EQ(result("vcadd")[0], total);
    const Floats sums = result("vcgadd");
    const Floats highest = result("vcgmax");
    const Floats lowest = result("vcgmin");
    for (std::size_t block = 0; block < 8; ++block) {
        const auto* begin = whole.data() + block * 8;
        EXPECT_EQ(sums[block], std::accumulate(begin, begin + 8, 0.0F));
        EXPECT_EQ(highest[block], *std::max_element(begin, begin + 8));
        EXPECT_EQ(lowest[block], *std::min_element(begin, begin + 8));
    }
    const Floats pairs = result("vcpadd");
    for (std::size_t i = 0; i < row / 2; ++i) {
        EXPECT_EQ(pairs[i], whole[2 * i] + whole[2 * i + 1]);
    }
}

TEST_F(LaneIntrinsics, OrderAnExtremeAndItsPlace) {
    give(bytes_of(a), {});
    for (const std::string_view name : {"vcmax", "vcmin"}) {
        const auto* found = name == "vcmax" ? std::ranges::max_element(a) : std::ranges::min_element(a);
        const auto place = static_cast<double>(found - a.begin());
        const auto pair = [&](std::string_view order) {
            return call(find(std::string{name} + " " + std::string{order}));
        };
        const Bytes value_first = pair("VALUE_INDEX");
        EXPECT_EQ(load_as<float>(value_first, 0), *found);
        EXPECT_EQ(load_as<std::uint32_t>(value_first, 1), place);
        const Bytes index_first = pair("INDEX_VALUE");
        EXPECT_EQ(load_as<std::uint32_t>(index_first, 0), place);
        EXPECT_EQ(load_as<float>(index_first, 1), *found);
        const Bytes value = pair("ONLY_VALUE");
        EXPECT_EQ(load_as<float>(value, 0), *found);
        EXPECT_EQ(load_as<float>(value, 1), 0);
        const Bytes index = pair("ONLY_INDEX");
        EXPECT_EQ(load_as<std::uint32_t>(index, 0), place);
        EXPECT_EQ(load_as<std::uint32_t>(index, 1), 0);
    }
}

TEST_F(LaneIntrinsics, CompareToABitALane) {
    Floats first = a;
    Floats second = b;
    first[3] = 2;  // equal to the scalar
    second[60] = first[60];
    give(bytes_of(first), bytes_of(second));
    const std::map<std::string_view, std::function<bool(float, float)>> comparisons{
        {"lt", std::less<float>{}},
        {"gt", std::greater<float>{}},
        {"eq", std::equal_to<float>{}},
        {"le", std::less_equal<float>{}},
        {"ge", std::greater_equal<float>{}},
        {"ne", std::not_equal_to<float>{}},
    };
    for (const auto& [suffix, holds] : comparisons) {
        std::uint64_t tensors = 0;
        std::uint64_t scalar = 0;
        for (std::size_t i = 0; i < row; ++i) {
            tensors |= std::uint64_t{holds(first[i], second[i])} << i;
            scalar |= std::uint64_t{holds(first[i], 2.0F)} << i;
        }
        const std::string end{suffix};
        EXPECT_EQ(bits("vcmpv_" + end), tensors) << suffix;
        EXPECT_EQ(bits("vcmpvs_" + end), scalar) << suffix;
        EXPECT_EQ(bits("vcmp_" + end), tensors) << suffix;
    }
}

TEST_F(LaneIntrinsics, GatherByPatternsAndBits) {
    // Patterns 1 to 7: odd places' left neighbours, their right ones, then one of four, then all.
    const auto taken = [](int pattern, std::size_t i) {
        switch (pattern) {
            case 1:
            case 2:
                return i % 2 == static_cast<std::size_t>(pattern - 1);
            case 7:
                return true;
            default:
                return i % 4 == static_cast<std::size_t>(pattern - 3);
        }
    };
    std::array<std::uint32_t, row> mask{};
    mask[0] = 0x80000011;
    mask[1] = 0x00000006;
    give(bytes_of(a), bytes_of(mask));
    const std::array<std::string, 2> named{"Pattern::even", "Pattern::odd"};
    for (int pattern = 1; pattern <= 7; ++pattern) {
        const auto place = static_cast<std::size_t>(pattern - 1);
        const bool has_name = place < named.size();
        const Floats values = result("vreducev2 " + (has_name ? named.at(place) : std::to_string(pattern)));
        std::size_t next = 0;
        for (std::size_t i = 0; i < row; ++i) {
            if (taken(pattern, i)) {
                EXPECT_EQ(values[next++], a[i]) << "pattern " << pattern;
            }
        }
    }
    const Floats chosen = result("vreducev2 0");
    const std::array places{0U, 4U, 31U, 33U, 34U};
    for (std::size_t i = 0; i < places.size(); ++i) {
        EXPECT_EQ(chosen[i], a[places[i]]);
    }
    EXPECT_EQ(chosen[places.size()], 0);
}

TEST_F(LaneIntrinsics, SpreadAndCopyBlocks) {
    give(bytes_of(a), {});
    const Floats spread = result("vbrcb");
    for (std::size_t i = 0; i < row; ++i) {
        EXPECT_EQ(spread[i], a[i / 8]);
    }
    // Two blocks, three blocks apart in the source, one in the result.
    const Floats copied = result("copy_ubuf_to_ubuf");
    for (std::size_t i = 0; i < 8; ++i) {
        EXPECT_EQ(copied[i], a[i]);
        EXPECT_EQ(copied[8 + i], 0);
        EXPECT_EQ(copied[16 + i], a[32 + i]);
    }
}

}  // namespace
}  // namespace ascendsim::isa
