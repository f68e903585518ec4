// SPDX-License-Identifier: Apache-2.0
#include "models/isa/vector/vector_deq.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "models/isa/vector/vector_issue.hpp"

namespace ascendsim::isa {
namespace {

constexpr OpInfo cast_info{"vconv_deq", "Quantises int16 to 8 bits with the scale in DEQSCALE."};
constexpr OpInfo add_info{"vadddeqrelu",
                          "Sum of int32, times DEQSCALE, as half, then the larger of it and zero."};

constexpr std::size_t config_slot = 5;       // of Registers::user: a packed DeqScale, or a table's place
constexpr std::uint32_t table_words = 16;    // one for each column of a block
constexpr std::uint32_t repeat_lanes = 128;  // of int16 in one
constexpr unsigned offset_bit = 37;
constexpr std::uint64_t offset_mask = 0x1FF;
constexpr unsigned sign_bit = 46;

std::uint64_t& config() {
    return CorePort::current().registers().user[config_slot];
}

std::uint8_t quantise(std::int16_t value, const DeqScale& by) {
    const float low = by.is_signed ? -128.0F : 0.0F;
    const float high = by.is_signed ? 127.0F : 255.0F;
    const float rounded =
        std::nearbyint(static_cast<float>(value) * by.scale) + static_cast<float>(by.offset);
    const float clamped = std::isnan(rounded) ? 0.0F : std::clamp(rounded, low, high);
    return static_cast<std::uint8_t>(static_cast<std::int32_t>(clamped));
}

// Where the bytes of a quantised operand go: the block of each 16 of them, half of it untouched.
struct Quantised {
    VectorOperand blocks;  // as an operand of 16-bit lanes
    bool lower_half;
};

// Quantises the active lanes of `src`, each with the word that `word_of` names for its column of a block.
template <class WordOf>
void quantise_lanes(
    std::byte* ub, const Quantised& to, const VectorOperand& src, const VectorShape& shape, WordOf word_of) {
    const std::uint32_t half_of_block = to.lower_half ? block_bytes / 2 : 0;
    const std::uint32_t repeats = shape.repeat_count(repeat_lanes);
    for (std::uint32_t r = 0; r < repeats; ++r) {
        for (std::uint32_t lane = 0; lane < repeat_lanes; ++lane) {
            if (!shape.active(r, lane, repeat_lanes)) {
                continue;
            }
            const std::uint32_t column = lane % table_words;
            const std::uint64_t word = word_of(column);
            const auto value = load<std::int16_t>(ub + lane_offset(src, r, lane));
            const std::uint32_t block = lane_offset(to.blocks, r, lane - column);
            ub[block + half_of_block + column] =
                static_cast<std::byte>(quantise(value, DeqScale::unpack(word)));
        }
    }
}

void add_deq_relu(void* dst, const void* a, const void* b, ScalarBits scalar, std::size_t n) {
    const auto scale = scalar.as<float>();
    for (std::size_t i = 0; i < n; ++i) {
        const auto left = load<std::uint32_t>(static_cast<const std::byte*>(a) + i * sizeof(std::int32_t));
        const auto right = load<std::uint32_t>(static_cast<const std::byte*>(b) + i * sizeof(std::int32_t));
        const auto sum = static_cast<std::int32_t>(left + right);
        const double product = static_cast<double>(sum) * scale;  // exact: 31 bits times 11
        save(static_cast<std::byte*>(dst) + i * sizeof(half),
             half{std::max(static_cast<float>(product), 0.0F)});
    }
}

}  // namespace

Instructions vector_deq_instructions() {
    return {&cast_info, &add_info};
}

std::uint64_t DeqScale::pack() const {
    return std::bit_cast<std::uint32_t>(scale) |
           (static_cast<std::uint64_t>(static_cast<std::uint32_t>(offset)) & offset_mask) << offset_bit |
           (is_signed ? std::uint64_t{1} << sign_bit : 0);
}

DeqScale DeqScale::unpack(std::uint64_t word) {
    const auto raw = static_cast<std::uint32_t>((word >> offset_bit) & offset_mask);
    return {std::bit_cast<float>(static_cast<std::uint32_t>(word)),
            static_cast<std::int32_t>(raw ^ 0x100U) - 0x100,
            (word >> sign_bit & 1U) != 0};
}

void set_deq_scale(const DeqScale& scale) {
    config() = scale.pack();
}

void set_deq_table(std::uint32_t offset) {
    config() = offset;
}

void vector_cast_deq(const VectorOperand& dst,
                     const VectorOperand& src,
                     bool from_table,
                     bool lower_half,
                     const VectorShape& shape,
                     Site site) {
    CorePort& core = CorePort::current();
    check_aligned(dst.offset, "destination", cast_info, site);
    check_aligned(src.offset, "source", cast_info, site);
    const std::uint64_t word = config();
    const Local table{Memory::ub, static_cast<std::uint32_t>(word)};
    if (!from_table && DeqScale::unpack(word).is_signed != (dst.type == DataType::int8)) {
        core.fail(cast_info,
                  site,
                  fmt::format("SetDeqScale's sign mode does not fit a destination of {}", name(dst.type)),
                  Pipe::vector);
    }
    Quantised to{.blocks = dst, .lower_half = lower_half};
    to.blocks.type = DataType::int16;
    Accesses list;
    list.read(operand_access(src, shape, repeat_lanes));
    Access written = operand_access(to.blocks, shape, repeat_lanes);
    written.covering = true;
    list.write(written);
    if (from_table) {
        list.read(table, table_words * sizeof(std::uint64_t));
    }
    const auto effect = [&](std::byte* ub) {
        quantise_lanes(ub, to, src, shape, [&](std::uint32_t column) {
            return from_table ? load<std::uint64_t>(ub + table.offset + column * sizeof(std::uint64_t))
                              : word;
        });
    };
    const std::uint32_t elements = shape.elements(repeat_lanes);
    issue(VectorInstruction{cast_info,
                            &VectorSpec::cast,
                            list,
                            {.repeats = shape.repeat_count(repeat_lanes), .width = 2},
                            elements,
                            elements,
                            dst.offset,
                            effect},
          site);
}

void vector_add_deq_relu(const VectorOperand& dst,
                         const VectorOperand& a,
                         const VectorOperand& b,
                         const VectorShape& shape,
                         Site site) {
    issue_elementwise({.info = add_info,
                       .cost = &VectorSpec::cast,
                       .kernel = &add_deq_relu,
                       .dst = dst,
                       .sources = {a, b},
                       .source_count = 2,
                       .reads_dst = false,
                       .scalar = ScalarBits{CorePort::current().registers().deq_scale},
                       .shape = shape},
                      site);
}

}  // namespace ascendsim::isa
