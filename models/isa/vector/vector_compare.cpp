// SPDX-License-Identifier: Apache-2.0
#include "models/isa/vector/vector_compare.hpp"

#include <algorithm>
#include <array>

#include "models/isa/vector/bank_conflict.hpp"
#include "models/isa/vector/vector_issue.hpp"
#include "sim/base/units.hpp"

namespace ascendsim::isa {
namespace {

constexpr OpInfo compare_info{"vcmpv", "Compares two tensors to a bit mask."};
constexpr OpInfo compare_scalar_info{"vcmpvs", "Compares a tensor with a scalar to a bit mask."};
constexpr OpInfo compare_register_info{"vcmp", "Compares one repeat to the compare-mask register."};
constexpr OpInfo select_info{"vsel", "Chooses between two operands by a bit mask."};
constexpr OpInfo load_mask_info{"set_cmpmask", "Loads the compare-mask register."};
constexpr OpInfo store_mask_info{"get_cmpmask", "Stores the compare-mask register."};
constexpr std::uint32_t compare_mask_bytes = 16;

using Bits = std::array<std::uint64_t, 2>;

template <class T>
bool holds(Comparison how, T a, T b) {
    switch (how) {
        case Comparison::lt:
            return a < b;
        case Comparison::gt:
            return a > b;
        case Comparison::eq:
            return a == b;
        case Comparison::le:
            return a <= b;
        case Comparison::ge:
            return a >= b;
        case Comparison::ne:
            return a != b;
    }
    return false;
}

template <class T>
Bits compare_lanes(
    Comparison how, const std::byte* a, const std::byte* b, const ScalarBits* scalar, std::uint32_t n) {
    Bits bits{};
    for (std::uint32_t i = 0; i < n; ++i) {
        const T left = load<T>(a + i * sizeof(T));
        const T right = scalar != nullptr ? scalar->as<T>() : load<T>(b + i * sizeof(T));
        bits[i / 64] |= std::uint64_t{holds(how, left, right)} << (i % 64);
    }
    return bits;
}

void store_bits(
    std::byte* at, const Bits& bits, const VectorShape& shape, std::uint32_t r, std::uint32_t lanes) {
    for (std::uint32_t i = 0; i < lanes; i += 8) {
        unsigned used = 0;
        for (std::uint32_t bit = 0; bit < 8; ++bit) {
            used |= static_cast<unsigned>(shape.active(r, i + bit, lanes)) << bit;
        }
        if (used != 0) {
            const unsigned old = std::to_integer<unsigned>(at[i / 8]);
            const auto fresh = static_cast<unsigned>((bits[i / 64] >> (i % 64)) & 0xFFU);
            at[i / 8] = static_cast<std::byte>((old & ~used) | (fresh & used));
        }
    }
}

// The lanes of repeat r to look at: all up to the last active one.
std::uint32_t looked_at(const VectorShape& shape, std::uint32_t r, std::uint32_t lanes) {
    return std::min(shape.prefix(r, lanes), lanes);
}

std::uint32_t conflicts(const VectorOperand& dst,
                        const VectorOperand& a,
                        const TensorOrScalar& b,
                        std::uint32_t repeats) {
    const std::array<VectorOperand, 2> sources{a, b.tensor};
    const std::size_t n = b.is_scalar ? 1 : 2;
    return bank_conflict_cycles(CorePort::current().chip().buffers, dst, {sources.data(), n}, repeats);
}

template <class Store>
void compare_each(std::byte* ub,
                  const VectorOperand& a,
                  const TensorOrScalar& b,
                  Comparison how,
                  const VectorShape& shape,
                  Store store_repeat) {
    const std::uint32_t lanes = lanes_of(a);
    const ScalarBits* scalar = b.is_scalar ? &b.scalar : nullptr;
    with_type(a.type, compare_info, Site{}, [&](auto zero) {
        using T = decltype(zero);
        PackedLanes left;
        PackedLanes right;
        for (std::uint32_t r = 0; r < shape.repeat_count(lanes); ++r) {
            const std::byte* x = left.of(ub, a, shape, r, lanes);
            const std::byte* y = b.is_scalar ? nullptr : right.of(ub, b.tensor, shape, r, lanes);
            store_repeat(r, compare_lanes<T>(how, x, y, scalar, looked_at(shape, r, lanes)));
        }
    });
}

void check_sources(const VectorOperand& a, const TensorOrScalar& b, const OpInfo& info, Site site) {
    check_aligned(a.offset, "source 0", info, site);
    if (!b.is_scalar) {
        check_aligned(b.tensor.offset, "source 1", info, site);
    }
}

template <class T>
void select_lanes(std::byte* dst,
                  const Bits& bits,
                  const std::byte* a,
                  const std::byte* b,
                  const ScalarBits* scalar,
                  std::uint32_t n) {
    for (std::uint32_t i = 0; i < n; ++i) {
        const bool first = ((bits[i / 64] >> (i % 64)) & 1U) != 0;
        const T other = scalar != nullptr ? scalar->as<T>() : load<T>(b + i * sizeof(T));
        save(dst + i * sizeof(T), first ? load<T>(a + i * sizeof(T)) : other);
    }
}

// The bits that choose in the `n` lanes of repeat r.
Bits bits_of(
    const SelectBits& bits, const std::byte* ub, std::uint32_t r, std::uint32_t lanes, std::uint32_t n) {
    if (bits.from_register) {
        return CorePort::current().registers().compare_mask;
    }
    Bits chosen{};
    std::memcpy(chosen.data(), ub + bits.offset + (bits.repeats ? 0 : r * lanes / 8), ceil_div(n, 8U));
    return chosen;
}

Accesses select_accesses(const VectorOperand& dst,
                         const SelectBits& bits,
                         const VectorOperand& a,
                         const TensorOrScalar& b,
                         const VectorShape& shape) {
    const std::uint32_t lanes = lanes_of(a);
    Accesses list;
    if (!bits.from_register) {
        const std::uint32_t elements = shape.elements(lanes);
        const std::uint32_t used = bits.repeats    ? std::min(elements, lanes)
                                   : shape.counter ? elements
                                                   : shape.repeat_count(lanes) * lanes;
        list.read(Local{Memory::ub, bits.offset}, ceil_div(used, 8U));
    }
    list.read(operand_access(a, shape, lanes));
    if (!b.is_scalar) {
        list.read(operand_access(b.tensor, shape, lanes));
    }
    list.write(operand_access(dst, shape, lanes));
    return list;
}

}  // namespace

Instructions vector_compare_instructions() {
    return {&compare_info,
            &compare_scalar_info,
            &compare_register_info,
            &select_info,
            &load_mask_info,
            &store_mask_info};
}

void vector_compare(std::uint32_t dst,
                    const VectorOperand& a,
                    const TensorOrScalar& b,
                    Comparison how,
                    const VectorShape& shape,
                    Site site) {
    const OpInfo& info = b.is_scalar ? compare_scalar_info : compare_info;
    check_sources(a, b, info, site);
    const std::uint32_t lanes = lanes_of(a);
    check_shape(shape, lanes, info, site);
    const std::uint32_t repeats = shape.repeat_count(lanes);
    const std::uint32_t elements = shape.elements(lanes);
    const std::uint32_t bytes = shape.counter ? ceil_div(elements, 8U) : repeats * lanes / 8;
    Accesses list;
    list.read(operand_access(a, shape, lanes));
    if (!b.is_scalar) {
        list.read(operand_access(b.tensor, shape, lanes));
    }
    list.write(Local{Memory::ub, dst}, bytes);
    const auto effect = [&](std::byte* ub) {
        compare_each(ub, a, b, how, shape, [&](std::uint32_t r, const Bits& bits) {
            store_bits(ub + dst + std::size_t{r} * lanes / 8, bits, shape, r, lanes);
        });
    };
    issue(VectorInstruction{info,
                            &VectorSpec::compare,
                            list,
                            {.repeats = repeats,
                             .width = a.size(),
                             .conflict = conflicts(a, a, b, repeats),
                             .ragged_counter = shape.counter && elements % lanes != 0},
                            elements,
                            bytes,
                            dst,
                            effect},
          site);
}

void vector_compare_to_register(
    const VectorOperand& a, const TensorOrScalar& b, Comparison how, const VectorShape& shape, Site site) {
    check_sources(a, b, compare_register_info, site);
    const std::uint32_t lanes = lanes_of(a);
    Accesses list;
    list.read(operand_access(a, shape, lanes));
    if (!b.is_scalar) {
        list.read(operand_access(b.tensor, shape, lanes));
    }
    const auto effect = [&](std::byte* ub) {
        auto& target = CorePort::current().registers().compare_mask;
        compare_each(ub, a, b, how, shape, [&](std::uint32_t r, const Bits& bits) {
            store_bits(reinterpret_cast<std::byte*>(target.data()), bits, shape, r, lanes);
        });
    };
    issue(VectorInstruction{compare_register_info,
                            &VectorSpec::compare,
                            list,
                            {.repeats = 1, .width = a.size()},
                            shape.elements(lanes),
                            0,
                            a.offset,
                            effect},
          site);
}

void vector_select(const VectorOperand& dst,
                   const SelectBits& bits,
                   const VectorOperand& a,
                   const TensorOrScalar& b,
                   const VectorShape& shape,
                   Site site) {
    check_sources(a, b, select_info, site);
    check_aligned(dst.offset, "the destination", select_info, site);
    const std::uint32_t lanes = lanes_of(a);
    check_shape(shape, lanes, select_info, site);
    const std::uint32_t repeats = shape.repeat_count(lanes);
    const std::uint32_t elements = shape.elements(lanes);
    const auto effect = [&](std::byte* ub) {
        with_type(a.type, select_info, site, [&](auto zero) {
            using T = decltype(zero);
            PackedLanes left;
            PackedLanes right;
            alignas(32) std::byte result[block_bytes * blocks_per_repeat];
            for (std::uint32_t r = 0; r < repeats; ++r) {
                const std::uint32_t n = looked_at(shape, r, lanes);
                const Bits chosen = bits_of(bits, ub, r, lanes, n);
                const std::byte* x = left.of(ub, a, shape, r, lanes);
                const std::byte* y = b.is_scalar ? nullptr : right.of(ub, b.tensor, shape, r, lanes);
                select_lanes<T>(result, chosen, x, y, b.is_scalar ? &b.scalar : nullptr, n);
                scatter_lanes(ub, dst, shape, r, lanes, result);
            }
        });
    };
    issue(VectorInstruction{select_info,
                            &VectorSpec::select,
                            select_accesses(dst, bits, a, b, shape),
                            {.repeats = repeats,
                             .width = a.size(),
                             .conflict = conflicts(dst, a, b, repeats),
                             .ragged_counter = shape.counter && elements % lanes != 0},
                            elements,
                            elements * dst.size(),
                            dst.offset,
                            effect},
          site);
}

void load_compare_mask(std::uint32_t offset, Site site) {
    Accesses list;
    list.read(Local{Memory::ub, offset}, compare_mask_bytes);
    const auto effect = [&](std::byte* ub) {
        std::memcpy(CorePort::current().registers().compare_mask.data(), ub + offset, compare_mask_bytes);
    };
    issue(
        VectorInstruction{
            load_mask_info, &VectorSpec::mask_register, list, {.repeats = 1}, 0, 0, offset, effect},
        site);
}

void store_compare_mask(std::uint32_t offset, Site site) {
    Accesses list;
    list.write(Local{Memory::ub, offset}, compare_mask_bytes);
    const auto effect = [&](std::byte* ub) {
        std::memcpy(ub + offset, CorePort::current().registers().compare_mask.data(), compare_mask_bytes);
    };
    issue(VectorInstruction{store_mask_info,
                            &VectorSpec::mask_register,
                            list,
                            {.repeats = 1},
                            0,
                            compare_mask_bytes,
                            offset,
                            effect},
          site);
}

}  // namespace ascendsim::isa
