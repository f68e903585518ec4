// SPDX-License-Identifier: Apache-2.0
// Intrinsics that work through the state of a core, and that each intrinsic is called by a test.
#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/ascendc/testing/intrinsics_test.hpp"
#include "models/numbers/bfloat16.hpp"
#include "models/numbers/half.hpp"

extern "C" void atomic_intrinsics(std::uint8_t* in, std::uint8_t* out);
extern "C" void mask_intrinsics(std::uint8_t* in, std::uint8_t* out);
extern "C" void cross_intrinsics();
extern "C" void scalar_intrinsics(std::uint8_t* out);
extern "C" void trap_intrinsics();
extern "C" void argument_intrinsics();
extern "C" void byte_intrinsics(std::uint8_t* in, std::uint8_t* out);
extern "C" void left_in_registers(std::uint8_t* in, std::uint8_t* out, std::uint8_t* count);
extern "C" void corner_turns(std::uint8_t* in, std::uint8_t* out);

namespace ascendsim::isa {
namespace {

class StateIntrinsics : public IntrinsicsTest {
protected:
    PlainCore core{chip, memory, CoreKind::aiv};
};

constexpr std::size_t block_bytes = 32;

/// The first `count` elements of type T at `from` are those of `in` twice, or the least of both.
template <class T>
void expect_sums(const std::uint8_t* in,
                 const std::uint8_t* before,
                 const std::uint8_t* out,
                 const char* type) {
    for (std::size_t i = 0; i < block_bytes / sizeof(T); ++i) {
        T added{};
        T old{};
        T sum{};
        std::memcpy(&added, in + i * sizeof(T), sizeof(T));
        std::memcpy(&old, before + i * sizeof(T), sizeof(T));
        std::memcpy(&sum, out + i * sizeof(T), sizeof(T));
        EXPECT_EQ(static_cast<double>(sum), static_cast<double>(old) + static_cast<double>(added))
            << type << " " << i;
    }
}

TEST_F(StateIntrinsics, WriteAtomicallyInTheTypeThatIsSet) {
    auto* in = tensor<std::uint8_t>("in", block_bytes);
    auto* out = tensor<std::uint8_t>("out", 7 * block_bytes);
    // 1.0 or 2.0 in each of these types, whichever the bytes are read as: 0x3f80 is 1.0 as float's upper
    // half.
    std::fill_n(in, block_bytes, std::uint8_t{0});
    for (std::size_t i = 0; i < block_bytes; i += 4) {
        in[i + 2] = 0x80;
        in[i + 3] = 0x3f;  // float 1; bfloat16 0, 1; half 0, 1.875; int32 0x3f800000; int8 0, 0, -128, 63
    }
    std::fill_n(out, 6 * block_bytes, std::uint8_t{0});
    for (std::size_t i = 0; i < 5 * block_bytes; i += 4) {
        out[i + 3] = 0x3c;  // half 1, bfloat16 and float 2^-7
    }
    const std::array<float, 8> old{2, 0.5F, -1, 1, 3, 0, 7, 0.25F};
    std::memcpy(out + 6 * block_bytes, old.data(), block_bytes);
    std::vector<std::uint8_t> before(out, out + 7 * block_bytes);
    atomic_intrinsics(in, out);
    expect_sums<float>(in, before.data(), out, "f32");
    expect_sums<half>(in, before.data() + 32, out + 32, "f16");
    expect_sums<bfloat16>(in, before.data() + 64, out + 64, "bf16");
    expect_sums<std::int32_t>(in, before.data() + 96, out + 96, "s32");
    expect_sums<std::int16_t>(in, before.data() + 128, out + 128, "s16");
    expect_sums<std::int8_t>(in, before.data() + 160, out + 160, "s8");
    for (std::size_t i = 0; i < old.size(); ++i) {
        float least = 0;
        std::memcpy(&least, out + 192 + i * 4, 4);
        EXPECT_EQ(least, std::min(old[i], 1.0F));
    }
}

TEST_F(StateIntrinsics, CountLanesOrTakeThemByBits) {
    constexpr std::uint32_t n = 128;
    auto* in = tensor<float>("in", n);
    auto* out = tensor<float>("out", 2 * n);
    std::iota(in, in + n, 0.0F);
    mask_intrinsics(bytes(in), bytes(out));
    for (std::uint32_t i = 0; i < n; ++i) {
        EXPECT_EQ(out[i], in[i] + (i < 100 ? 1.0F : 0.0F));
        EXPECT_EQ(out[n + i], in[i] + (i % 64 < 8 ? 1.0F : 0.0F));
    }
}

TEST_F(StateIntrinsics, RaiseAndAwaitFlagsOfOtherCores) {
    cross_intrinsics();
    const auto& ops = core.ops();
    ASSERT_EQ(ops.size(), 3U);
    EXPECT_EQ(ops[0].kind, OpKind::cross_set);
    EXPECT_EQ(ops[0].pipe, Pipe::vector);
    EXPECT_EQ(ops[0].a, 2);  // mode
    EXPECT_EQ(ops[0].id, 5U);
    EXPECT_EQ(ops[1].pipe, Pipe::mte3);
    EXPECT_EQ(ops[1].a, 0);
    EXPECT_EQ(ops[1].id, 9U);
    EXPECT_EQ(ops[2].kind, OpKind::cross_wait);
    EXPECT_EQ(ops[2].id, 7U);
}

TEST_F(StateIntrinsics, ComputeOnScalars) {
    auto* out = tensor<std::int64_t>("out", 12);
    scalar_intrinsics(bytes(out));
    const std::array<std::int64_t, 12> expected{
        0xf7, (1LL << 60) | 0xf0, 56, 8, 59, 4, 4, -1, -1, 4, 1LL << 48, 1};
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(out[i], expected[i]) << "result " << i;
    }
    EXPECT_THROW(trap_intrinsics(), std::runtime_error);
    EXPECT_THROW(argument_intrinsics(), std::runtime_error);
}

TEST_F(StateIntrinsics, CopyBytesAndPadThem) {
    constexpr std::uint32_t runs = 3;
    constexpr std::uint32_t length = 20;
    constexpr std::uint32_t pitch = 24;
    auto* in = tensor<std::uint8_t>("in", runs * pitch);
    auto* out = tensor<std::uint8_t>("out", 1152);
    std::iota(in, in + runs * pitch, std::uint8_t{1});
    std::fill_n(out, 1152, std::uint8_t{0xee});
    byte_intrinsics(in, out);
    const auto padding = [](std::uint32_t at, std::uint32_t size) { return at % size == 0 ? 0x7b : 0; };
    for (std::uint32_t run = 0; run < runs; ++run) {
        for (std::uint32_t size : {1U, 2U, 4U}) {
            // Runs begin a block apart; of 4-byte elements, 28 bytes and a block between them.
            const std::uint32_t base = (size == 1 ? 0 : size == 2 ? 256 : 512) + run * (size == 4 ? 64 : 32);
            const std::uint32_t left = 2 * size;
            const std::uint32_t right = (size == 4 ? 1 : 2) * size;
            for (std::uint32_t at = 0; at < left + length + right; ++at) {
                const bool inside = at >= left && at < left + length;
                const int expected = inside ? in[run * pitch + at - left] : padding(at, size);
                EXPECT_EQ(out[base + at], expected) << size << " bytes, run " << run << " at " << at;
            }
        }
        for (const std::uint32_t base : {768U, 864U, 960U}) {
            for (std::uint32_t at = 0; at < pitch; ++at) {
                // Out of the buffer of single bytes: two of padding first; four bytes stay between two runs.
                const int expected = at >= length ? 0xee : at < 2 ? 0x7b : in[run * pitch + at - 2];
                EXPECT_EQ(out[base + run * pitch + at], expected) << base << ", run " << run << " at " << at;
            }
        }
    }
}

TEST_F(StateIntrinsics, LeaveAScaleAndACountInRegisters) {
    constexpr std::uint32_t n = 64;
    auto* in = tensor<std::int32_t>("in", n);
    auto* out = tensor<half>("out", n);
    auto* count = tensor<std::int64_t>("count", 1);
    std::iota(in, in + n, -20);
    left_in_registers(bytes(in), bytes(out), bytes(count));
    for (std::uint32_t i = 0; i < n; ++i) {
        EXPECT_EQ(float{out[i]}, static_cast<float>(in[i]) * 0.5F);
    }
    EXPECT_EQ(*count, 16);  // pattern 3 takes one of four
}

TEST_F(StateIntrinsics, TurnBytesAndWords) {
    auto* in = tensor<std::uint8_t>("in", 512);
    auto* out = tensor<std::uint8_t>("out", 1536);
    for (std::uint32_t i = 0; i < 512; ++i) {
        in[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
    }
    corner_turns(in, out);
    for (std::uint32_t i = 0; i < 16; ++i) {
        for (std::uint32_t j = 0; j < 16; ++j) {
            EXPECT_EQ(out[i * 32 + j], in[j * 32 + i]) << "low halves";
            EXPECT_EQ(out[512 + i * 32 + 16 + j], in[j * 32 + 16 + i]) << "high halves";
        }
    }
    // 16 rows of 8 words become 8 of 16, each of them two blocks.
    const auto word = [](const std::uint8_t* base, std::uint32_t at) {
        std::uint32_t value = 0;
        std::memcpy(&value, base + at * 4, 4);
        return value;
    };
    for (std::uint32_t i = 0; i < 8; ++i) {
        for (std::uint32_t j = 0; j < 16; ++j) {
            EXPECT_EQ(word(out + 1024, i * 16 + j), word(in, j * 8 + i)) << i << ", " << j;
        }
    }
}

std::string text_of(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream{file}.rdbuf();
    return text.str();
}

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// The names that a header defines in the global namespace: functions, and the first argument of each macro
/// that makes functions.
std::set<std::string> names_in(const std::string& header) {
    std::set<std::string> names;
    std::istringstream lines{header};
    bool inside = false;  // of namespace AscendC, whose names are the API's
    for (std::string line; std::getline(lines, line);) {
        inside = line.starts_with("namespace AscendC") || (inside && !line.starts_with("}  // namespace"));
        const bool made = line.starts_with("ASCENDSIM_");
        const bool defined = line.starts_with("inline ") || line.starts_with("constexpr ");
        const std::size_t open = line.find('(');
        if (inside || open == std::string::npos || (!made && !defined)) {
            continue;
        }
        std::size_t begin = open + 1;
        std::size_t end = line.find_first_of(",)", begin);
        if (defined) {
            end = open;
            begin = end;
            while (begin > 0 && is_word(line[begin - 1])) {
                --begin;
            }
        }
        names.insert(line.substr(begin, end - begin));
    }
    return names;
}

bool calls(const std::string& text, const std::string& name) {
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
        if (at == 0 || !is_word(text[at - 1])) {
            return true;  // the rest of a name may be the suffix that a macro of the test adds
        }
    }
    return false;
}

TEST(IntrinsicNames, AreEachCalledByATest) {
    const std::filesystem::path folder = ASCENDSIM_SOURCE_DIR "/kernels/ascendc";
    std::string kernels;
    for (const auto& entry : std::filesystem::directory_iterator{folder / "testing"}) {
        if (!entry.path().stem().string().ends_with("_test")) {
            kernels += text_of(entry.path());
        }
    }
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator{folder / "ascendc"}) {
        if (!entry.path().filename().string().starts_with("cce")) {
            continue;
        }
        for (const std::string& name : names_in(text_of(entry.path()))) {
            const bool suffix =
                name.size() <= 4 && entry.path().filename() != "cce.h";  // of a comparison or copy
            EXPECT_TRUE(suffix || calls(kernels, name))
                << name << " of " << entry.path().filename() << " is called by no kernel of testing/";
            ++count;
        }
    }
    EXPECT_GT(count, 150U);
}

}  // namespace
}  // namespace ascendsim::isa
