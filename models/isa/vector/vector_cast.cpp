// SPDX-License-Identifier: Apache-2.0
#include "models/isa/vector/vector_cast.hpp"

#include <array>
#include <span>

#include "models/isa/vector/vector_issue.hpp"
#include "models/numbers/cast.hpp"
#include "sim/base/units.hpp"

namespace ascendsim::isa {
namespace {

constexpr OpInfo info{"vconv", "Converts between element types."};

// The scalar operand carries the mode, whether integers keep their low bits, and for int32 to half the
// factor.
struct CastScalar {
    std::uint16_t mode;
    std::uint16_t keeps_low_bits;
    half scale;
};

/// What becomes of values outside of the destination's range, as a program has set CTRL.
CastRange range_of(const Registers& registers) {
    return {.saturate_integer = !registers.control_bit(control_low_bits)};
}

template <class Dst, class Src>
void convert(void* dst, const void* a, const void*, ScalarBits scalar, std::size_t n) {
    const auto how = scalar.as<CastScalar>();
    const std::span from{static_cast<const Src*>(a), n};
    const std::span to{static_cast<Dst*>(dst), n};
    if constexpr (std::is_same_v<Dst, half> && std::is_same_v<Src, std::int32_t>) {
        cast_all_dequantized(from, to, how.scale);
    } else {
        cast_all<Dst, Src>(
            from, to, static_cast<RoundMode>(how.mode), {.saturate_integer = how.keeps_low_bits == 0});
    }
}

constexpr unsigned pair(DataType dst, DataType src) {
    return static_cast<unsigned>(dst) * 16 + static_cast<unsigned>(src);
}

// What converts each pair of types; null: no instruction does.
constexpr auto kernels = [] {
    using D = DataType;
    std::array<LaneKernel, 256> table{};
    table[pair(D::int8, D::half)] = &convert<std::int8_t, half>;
    table[pair(D::uint8, D::half)] = &convert<std::uint8_t, half>;
    table[pair(D::int16, D::half)] = &convert<std::int16_t, half>;
    table[pair(D::int32, D::half)] = &convert<std::int32_t, half>;
    table[pair(D::float32, D::half)] = &convert<float, half>;
    table[pair(D::half, D::float32)] = &convert<half, float>;
    table[pair(D::bfloat16, D::float32)] = &convert<bfloat16, float>;
    table[pair(D::int16, D::float32)] = &convert<std::int16_t, float>;
    table[pair(D::int32, D::float32)] = &convert<std::int32_t, float>;
    table[pair(D::int64, D::float32)] = &convert<std::int64_t, float>;
    table[pair(D::float32, D::float32)] = &convert<float, float>;
    table[pair(D::float32, D::bfloat16)] = &convert<float, bfloat16>;
    table[pair(D::int32, D::bfloat16)] = &convert<std::int32_t, bfloat16>;
    table[pair(D::half, D::int16)] = &convert<half, std::int16_t>;
    table[pair(D::float32, D::int16)] = &convert<float, std::int16_t>;
    table[pair(D::half, D::int32)] = &convert<half, std::int32_t>;
    table[pair(D::float32, D::int32)] = &convert<float, std::int32_t>;
    table[pair(D::int16, D::int32)] = &convert<std::int16_t, std::int32_t>;
    table[pair(D::int64, D::int32)] = &convert<std::int64_t, std::int32_t>;
    table[pair(D::float32, D::int64)] = &convert<float, std::int64_t>;
    table[pair(D::int32, D::int64)] = &convert<std::int32_t, std::int64_t>;
    table[pair(D::half, D::int8)] = &convert<half, std::int8_t>;
    table[pair(D::half, D::uint8)] = &convert<half, std::uint8_t>;
    return table;
}();

// Packed nibbles: the int4 side of a repeat is 64 bytes that follow each other.
constexpr std::uint32_t nibble_lanes = 128;

void convert_nibbles(std::byte* ub,
                     const VectorOperand& dst,
                     const VectorOperand& src,
                     RoundMode mode,
                     CastRange range,
                     const VectorShape& shape) {
    constexpr std::uint32_t lanes = nibble_lanes;
    const bool to_int4 = dst.type == DataType::int4;
    const VectorOperand& nibbles = to_int4 ? dst : src;
    half scratch[lanes];
    auto* bytes = reinterpret_cast<std::byte*>(scratch);
    const std::uint32_t repeats = shape.repeat_count(lanes);
    for (std::uint32_t r = 0; r < repeats; ++r) {
        const std::size_t n = std::min(shape.prefix(r, lanes), lanes);
        auto* pairs =
            reinterpret_cast<int4b_t*>(ub + nibbles.offset + r * nibbles.repeat_stride * block_bytes);
        if (to_int4) {
            gather_lanes(ub, src, shape, r, lanes, bytes);
            cast_all(std::span<const half>{scratch, n}, std::span{pairs, (n + 1) / 2}, mode, range);
        } else {
            cast_all(std::span<const int4b_t>{pairs, (n + 1) / 2}, std::span{scratch, n});
            scatter_lanes(ub, dst, shape, r, lanes, bytes);
        }
    }
}

void cast_int4(
    const VectorOperand& dst, const VectorOperand& src, RoundMode mode, const VectorShape& shape, Site site) {
    const bool to_int4 = dst.type == DataType::int4;
    const VectorOperand& halves = to_int4 ? src : dst;
    const VectorOperand& nibbles = to_int4 ? dst : src;
    constexpr std::uint32_t lanes = nibble_lanes;
    const std::uint32_t repeats = shape.repeat_count(lanes);
    const std::uint32_t elements = shape.elements(lanes);
    Accesses list;
    const Access packed{.memory = Memory::ub,
                        .offset = nibbles.offset,
                        .row_bytes = repeats > 1 ? lanes / 2 : ceil_div(elements, 2U),
                        .rows = repeats,
                        .pitch = std::uint64_t{nibbles.repeat_stride} * block_bytes};
    const Access wide = operand_access(halves, shape, lanes);
    list.read(to_int4 ? wide : packed);
    list.write(to_int4 ? packed : wide);
    const CastRange range = range_of(CorePort::current().registers());
    const auto effect = [&](std::byte* ub) { convert_nibbles(ub, dst, src, mode, range, shape); };
    issue(VectorInstruction{info,
                            &VectorSpec::cast,
                            list,
                            {.repeats = repeats, .width = 2},
                            elements,
                            to_int4 ? elements / 2 : elements * 2,
                            dst.offset,
                            effect},
          site);
}

}  // namespace

Instructions vector_cast_instructions() {
    return {&info};
}

void vector_cast(
    const VectorOperand& dst, const VectorOperand& src, RoundMode mode, const VectorShape& shape, Site site) {
    if ((dst.type == DataType::int4 && src.type == DataType::half) ||
        (src.type == DataType::int4 && dst.type == DataType::half)) {
        return cast_int4(dst, src, mode, shape, site);
    }
    const LaneKernel kernel = kernels[pair(dst.type, src.type)];
    if (kernel == nullptr) {
        CorePort::current().fail(
            info,
            site,
            fmt::format("there is no conversion from {} to {}", name(src.type), name(dst.type)),
            Pipe::vector);
    }
    const bool wide = dst.size() == 8 || src.size() == 8;
    const Registers& registers = CorePort::current().registers();
    const CastScalar scalar{static_cast<std::uint16_t>(mode),
                            static_cast<std::uint16_t>(range_of(registers).saturate_integer ? 0 : 1),
                            half{registers.deq_scale}};
    issue_elementwise({.info = info,
                       .cost = wide ? &VectorSpec::cast_b64 : &VectorSpec::cast,
                       .kernel = kernel,
                       .dst = dst,
                       .sources = {src, {}},
                       .source_count = 1,
                       .reads_dst = false,
                       .scalar = ScalarBits{scalar},
                       .shape = shape},
                      site);
}

}  // namespace ascendsim::isa
