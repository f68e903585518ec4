// SPDX-License-Identifier: Apache-2.0
#include "models/isa/vector/vector_gather.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <span>

#include "models/isa/vector/vector_issue.hpp"
#include "sim/base/units.hpp"

namespace ascendsim::isa {
namespace {

constexpr OpInfo gather_info{"vgather", "Gathers elements by byte offsets."};
constexpr OpInfo scatter_info{"vscatter", "Scatters elements by byte offsets."};
constexpr OpInfo gather_block_info{"vgatherb", "Gathers 32-byte blocks by byte offsets."};
constexpr OpInfo broadcast_info{"vbrcb", "Spreads each element over a 32-byte block."};
constexpr OpInfo gather_mask_info{"vreducev2", "Compacts the elements whose bit is set."};
constexpr OpInfo progression_info{"vci", "Counts up from a first value."};
constexpr std::uint32_t offset_bytes = 4;
constexpr std::uint8_t all_elements = 7;

// Where offset `index` of the table at `offsets` points; fails outside of UB, and at no multiple of `size`,
// the element's or the block's (asc-devkit, docs/api/context/Gather.md).
std::uint32_t place(const std::byte* ub,
                    std::uint32_t offsets,
                    std::uint32_t index,
                    std::uint32_t base,
                    std::uint32_t size,
                    const OpInfo& info,
                    Site site) {
    CorePort& core = CorePort::current();
    const auto offset = load<std::uint32_t>(ub + offsets + std::size_t{index} * offset_bytes);
    const std::uint64_t at = std::uint64_t{base} + offset;
    if (at + size > core.local(Memory::ub).size()) {
        core.fail(info,
                  site,
                  fmt::format("offset {} of element {} points behind the {} bytes of UB",
                              offset,
                              index,
                              core.local(Memory::ub).size()),
                  Pipe::vector);
    }
    if (at % size != 0) {
        core.fail(info,
                  site,
                  fmt::format("offset {} of element {} leads to UB offset {}, which is not a multiple of {}: "
                              "offsets are in bytes",
                              offset,
                              index,
                              at,
                              size),
                  Pipe::vector);
    }
    return static_cast<std::uint32_t>(at);
}

/// The offsets of the lanes that take part.
Access offset_table(std::uint32_t offsets, const VectorShape& shape, std::uint32_t lanes) {
    const VectorOperand table{.offset = offsets,
                              .block_stride = 1,
                              .repeat_stride = static_cast<std::uint16_t>(lanes * offset_bytes / block_bytes),
                              .type = DataType::uint32};
    Access access = operand_access(table, shape, lanes);
    access.addresses = !access.covering;
    return access;
}

/// Whether what lies in UB may be looked at before the instruction works: somebody watches, and it is
/// computed and there. With other timings it may still be under way.
bool can_look(const CorePort& core) {
    return core.observer() != nullptr && core.functional() && core.keeper() == nullptr;
}

/// The bytes from the first to behind the last element that the table points to.
std::optional<Access> elements_of(std::uint32_t base, std::uint32_t size, const Access& table) {
    CorePort& core = CorePort::current();
    const std::span<const std::byte> ub = core.local(Memory::ub);
    if (!can_look(core) || table.extent() == 0 || table.offset + table.extent() > ub.size()) {
        return std::nullopt;
    }
    std::uint64_t first = ~std::uint64_t{0};
    std::uint64_t last = 0;
    for (std::uint64_t row = 0; row < table.rows; ++row) {
        const std::byte* from = ub.data() + table.offset + row * table.pitch;
        for (std::uint64_t lane = 0; lane < table.row_bytes / offset_bytes; ++lane) {
            if (table.lane_bytes != 0 && (table.lanes[lane / 64] >> (lane % 64) & 1U) == 0) {
                continue;
            }
            const std::uint64_t place = std::uint64_t{base} + load<std::uint32_t>(from + lane * offset_bytes);
            first = std::min(first, place);
            last = std::max(last, place);
        }
    }
    if (last < first || last + size > ub.size()) {  // the instruction says so
        return std::nullopt;
    }
    return Access{.memory = Memory::ub,
                  .offset = first,
                  .row_bytes = last + size - first,
                  .covering = true,
                  .scattered = true};
}

template <class Visit>
void for_active(const VectorShape& shape, std::uint32_t lanes, Visit visit) {
    for (std::uint32_t r = 0; r < shape.repeat_count(lanes); ++r) {
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            if (shape.active(r, lane, lanes)) {
                visit(r, lane);
            }
        }
    }
}

bool passes(const GatherMaskCall& call, const std::byte* ub, std::uint32_t r, std::uint32_t i) {
    switch (call.pattern) {
        case 0: {
            const std::byte bits = ub[call.bits + r * call.bits_stride * block_bytes + i / 8];
            return ((std::to_integer<unsigned>(bits) >> (i % 8)) & 1U) != 0;
        }
        case 1:
        case 2:
            return i % 2 == call.pattern - 1U;
        case all_elements:
            return true;
        default:
            return i % 4 == call.pattern - 3U;
    }
}

std::uint64_t expected(const GatherMaskCall& call, std::uint32_t per_repeat) {
    const std::uint64_t all = std::uint64_t{per_repeat} * call.repeats;
    if (call.pattern == 0 || call.pattern == all_elements) {
        return all;
    }
    return all / (call.pattern < 3 ? 2 : 4);
}

}  // namespace

Instructions vector_gather_instructions() {
    return {&gather_info,
            &scatter_info,
            &gather_block_info,
            &broadcast_info,
            &gather_mask_info,
            &progression_info};
}

void vector_gather(const VectorOperand& dst,
                   std::uint32_t base,
                   std::uint32_t offsets,
                   const VectorShape& shape,
                   Site site) {
    check_aligned(dst.offset, "the destination", gather_info, site);
    const std::uint32_t lanes = lanes_of(dst);
    check_shape(shape, lanes, gather_info, site);
    Accesses list;
    const Access table = offset_table(offsets, shape, lanes);
    list.read(table);
    if (const std::optional<Access> elements = elements_of(base, dst.size(), table)) {
        list.read(*elements);
    }
    list.write(operand_access(dst, shape, lanes));
    // A repeat reads all of its elements before it writes one: published kernels swap neighbours in place.
    const auto effect = [&](std::byte* ub) {
        std::array<std::byte, block_bytes * blocks_per_repeat> read{};
        for (std::uint32_t r = 0; r < shape.repeat_count(lanes); ++r) {
            for (std::uint32_t lane = 0; lane < lanes; ++lane) {
                if (shape.active(r, lane, lanes)) {
                    const std::uint32_t from =
                        place(ub, offsets, r * lanes + lane, base, dst.size(), gather_info, site);
                    std::memcpy(read.data() + std::size_t{lane} * dst.size(), ub + from, dst.size());
                }
            }
            for (std::uint32_t lane = 0; lane < lanes; ++lane) {
                if (shape.active(r, lane, lanes)) {
                    std::memcpy(ub + lane_offset(dst, r, lane),
                                read.data() + std::size_t{lane} * dst.size(),
                                dst.size());
                }
            }
        }
    };
    const std::uint32_t n = shape.elements(lanes);
    issue(VectorInstruction{gather_info,
                            &VectorSpec::gather,
                            list,
                            {.repeats = shape.repeat_count(lanes), .width = dst.size()},
                            n,
                            n * dst.size(),
                            dst.offset,
                            effect},
          site);
}

void vector_scatter(const VectorOperand& src,
                    std::uint32_t base,
                    std::uint32_t offsets,
                    const VectorShape& shape,
                    Site site) {
    check_aligned(src.offset, "the source", scatter_info, site);
    const std::uint32_t lanes = lanes_of(src);
    check_shape(shape, lanes, scatter_info, site);
    Accesses list;
    const Access table = offset_table(offsets, shape, lanes);
    list.read(table);
    list.read(operand_access(src, shape, lanes));
    if (const std::optional<Access> elements = elements_of(base, src.size(), table)) {
        list.write(*elements);
    }
    const auto effect = [&](std::byte* ub) {
        for_active(shape, lanes, [&](std::uint32_t r, std::uint32_t lane) {
            const std::uint32_t to =
                place(ub, offsets, r * lanes + lane, base, src.size(), scatter_info, site);
            std::memcpy(ub + to, ub + lane_offset(src, r, lane), src.size());
        });
    };
    const std::uint32_t n = shape.elements(lanes);
    issue(VectorInstruction{scatter_info,
                            &VectorSpec::scatter,
                            list,
                            {.repeats = shape.repeat_count(lanes), .width = src.size()},
                            n,
                            n * src.size(),
                            base,
                            effect},
          site);
}

void vector_gather_blocks(
    const VectorOperand& dst, std::uint32_t base, std::uint32_t offsets, std::uint32_t repeats, Site site) {
    check_aligned(dst.offset, "the destination", gather_block_info, site);
    const VectorShape shape{.repeats = repeats};
    const std::uint32_t lanes = lanes_of(dst);
    Accesses list;
    list.read(Local{Memory::ub, offsets}, std::uint64_t{repeats} * blocks_per_repeat * offset_bytes);
    list.write(operand_access(dst, shape, lanes));
    const auto effect = [&](std::byte* ub) {
        for (std::uint32_t i = 0; i < repeats * blocks_per_repeat; ++i) {
            const std::uint32_t from = place(ub, offsets, i, base, block_bytes, gather_block_info, site);
            const std::uint32_t lane = i % blocks_per_repeat * block_bytes / dst.size();
            std::memmove(ub + lane_offset(dst, i / blocks_per_repeat, lane), ub + from, block_bytes);
        }
    };
    issue(VectorInstruction{gather_block_info,
                            &VectorSpec::gather_block,
                            list,
                            {.repeats = repeats, .width = dst.size()},
                            repeats * lanes,
                            repeats * block_bytes * blocks_per_repeat,
                            dst.offset,
                            effect},
          site);
}

void vector_broadcast_blocks(const VectorOperand& dst, std::uint32_t src, std::uint32_t repeats, Site site) {
    check_aligned(dst.offset, "the destination", broadcast_info, site);
    check_aligned(src, "the source", broadcast_info, site);
    const VectorShape shape{.repeats = repeats};
    const std::uint32_t lanes = lanes_of(dst);
    const std::uint32_t size = dst.size();
    Accesses list;
    list.read(Local{Memory::ub, src}, std::uint64_t{repeats} * blocks_per_repeat * size);
    list.write(operand_access(dst, shape, lanes));
    const auto effect = [&](std::byte* ub) {
        for (std::uint32_t r = 0; r < repeats; ++r) {
            std::byte values[blocks_per_repeat * sizeof(std::uint64_t)];
            std::memcpy(values,
                        ub + src + std::size_t{r} * blocks_per_repeat * size,
                        std::size_t{blocks_per_repeat} * size);
            for (std::uint32_t b = 0; b < blocks_per_repeat; ++b) {
                std::byte* to = ub + lane_offset(dst, r, b * block_bytes / size);
                for (std::uint32_t at = 0; at < block_bytes; at += size) {
                    std::memcpy(to + at, values + b * size, size);
                }
            }
        }
    };
    issue(VectorInstruction{broadcast_info,
                            &VectorSpec::broadcast,
                            list,
                            {.repeats = repeats, .width = size},
                            repeats * lanes,
                            repeats * block_bytes * blocks_per_repeat,
                            dst.offset,
                            effect},
          site);
}

namespace {

/// The elements that the bits of `call` choose, as they are now and as far as UB goes; 0 if they cannot be
/// seen.
std::uint64_t chosen(const GatherMaskCall& call, std::uint32_t per_repeat) {
    CorePort& core = CorePort::current();
    const std::span<const std::byte> ub = core.local(Memory::ub);
    const std::uint64_t bits =
        call.repeats == 0
            ? 0
            : std::uint64_t{call.repeats - 1} * call.bits_stride * block_bytes + ceil_div(per_repeat, 8U);
    if (!can_look(core) || call.bits + bits > ub.size() || call.dst > ub.size()) {
        return 0;
    }
    std::uint64_t count = 0;
    for (std::uint32_t r = 0; r < call.repeats; ++r) {
        for (std::uint32_t i = 0; i < per_repeat; ++i) {
            count += passes(call, ub.data(), r, i) ? 1U : 0U;
        }
    }
    return std::min<std::uint64_t>(count, (ub.size() - call.dst) / call.src.size());
}

// What a gather of `per_repeat` lanes touches that leaves `kept` bytes.
Accesses gather_mask_accesses(const GatherMaskCall& call, std::uint32_t per_repeat, std::uint64_t kept) {
    Accesses list;
    list.read({.memory = Memory::ub,
               .offset = call.src.offset,
               .row_bytes = std::uint64_t{per_repeat} * call.src.size(),
               .rows = call.repeats,
               .pitch = std::uint64_t{call.src.repeat_stride} * block_bytes});
    if (call.pattern == 0) {
        list.read({.memory = Memory::ub,
                   .offset = call.bits,
                   .row_bytes = ceil_div(per_repeat, 8U),
                   .rows = call.bits_stride == 0 ? 1 : call.repeats,
                   .pitch = std::uint64_t{call.bits_stride} * block_bytes});
    }
    list.write(Local{Memory::ub, call.dst}, kept);
    return list;
}

}  // namespace

std::uint64_t vector_gather_mask(const GatherMaskCall& call, Site site) {
    check_aligned(call.src.offset, "the source", gather_mask_info, site);
    const std::uint32_t size = call.src.size();
    const std::uint32_t lanes = lanes_of(call.src);
    const std::uint32_t per_repeat = call.elements == 0 ? lanes : call.elements;
    std::uint64_t kept = expected(call, per_repeat);
    const std::uint64_t left = call.pattern == 0 ? chosen(call, per_repeat) : kept;
    const Accesses list = gather_mask_accesses(call, per_repeat, left * size);
    const auto effect = [&](std::byte* ub) {
        std::byte* to = ub + call.dst;
        const std::byte* end = ub + CorePort::current().local(Memory::ub).size();
        kept = 0;
        for (std::uint32_t r = 0; r < call.repeats; ++r) {
            for (std::uint32_t i = 0; i < per_repeat; ++i) {
                if (passes(call, ub, r, i) && to + size <= end) {
                    std::memmove(to, ub + lane_offset(call.src, r, i), size);
                    to += size;
                    ++kept;
                }
            }
        }
    };
    const std::uint32_t repeats = call.repeats * ceil_div(per_repeat, lanes);
    issue(VectorInstruction{gather_mask_info,
                            &VectorSpec::gather_mask,
                            list,
                            {.repeats = repeats, .width = size},
                            per_repeat * call.repeats,
                            static_cast<std::uint32_t>(kept * size),
                            call.dst,
                            effect},
          site);
    CorePort::current().registers().gather_count = kept;
    return kept;
}

void vector_progression(
    const VectorOperand& dst, ScalarBits first, ScalarBits step, const VectorShape& shape, Site site) {
    check_aligned(dst.offset, "the destination", progression_info, site);
    const std::uint32_t lanes = lanes_of(dst);
    const std::uint32_t n = shape.elements(lanes);
    Accesses list;
    list.write(operand_access(dst, shape, lanes));
    const auto effect = [&](std::byte* ub) {
        with_type(dst.type, progression_info, site, [&](auto zero) {
            using T = decltype(zero);
            const auto start = static_cast<double>(first.as<T>());
            const auto by = static_cast<double>(step.as<T>());
            for_active(shape, lanes, [&](std::uint32_t r, std::uint32_t lane) {
                const double value = start + by * static_cast<double>(r * lanes + lane);
                save(
                    ub + lane_offset(dst, r, lane),
                    static_cast<T>(
                        static_cast<std::conditional_t<std::is_integral_v<T>, std::int64_t, double>>(value)));
            });
        });
    };
    issue(VectorInstruction{progression_info,
                            &VectorSpec::simple,
                            list,
                            {.repeats = shape.repeat_count(lanes), .width = dst.size()},
                            n,
                            n * dst.size(),
                            dst.offset,
                            effect},
          site);
}

}  // namespace ascendsim::isa
