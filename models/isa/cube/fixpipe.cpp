// SPDX-License-Identifier: Apache-2.0
#include "models/isa/cube/fixpipe.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "models/isa/cube/cube_kernel.hpp"
#include "models/numbers/bfloat16.hpp"
#include "models/numbers/half.hpp"
#include "sim/base/units.hpp"

namespace ascendsim::isa {
namespace {

constexpr std::uint32_t row_values = fractal_rows;  // of a result fractal

// Up to 16 neighbouring columns of one row.
struct Row {
    const FixpipeOperands& operands;
    std::array<QuantiseScale, row_values> scales;

    // As floats: exact for fp32; int32 beyond 2^24 rounds, as the multiplier's input does.
    void scaled(const std::byte* from, std::uint32_t count, float* out) const {
        for (std::uint32_t i = 0; i < count; ++i) {
            std::uint32_t raw = 0;
            std::memcpy(&raw, from + i * sizeof(raw), sizeof(raw));
            out[i] = operands.source_type == DataType::float32
                         ? std::bit_cast<float>(raw)
                         : static_cast<float>(static_cast<std::int32_t>(raw));
            if (operands.quantise != Quantise::none) {
                out[i] *= scales[i].scale;
            }
            if (operands.relu && !(out[i] > 0.0F)) {
                out[i] = std::isnan(out[i]) ? out[i] : 0.0F;
            }
        }
    }

    template <class Integer>
    void put_integers(const float* values, std::uint32_t count, std::byte* to) const {
        constexpr float low = std::numeric_limits<Integer>::min();
        constexpr float high = std::numeric_limits<Integer>::max();
        for (std::uint32_t i = 0; i < count; ++i) {
            const float rounded = std::nearbyint(values[i]) + static_cast<float>(scales[i].offset);
            const float clamped = std::isnan(rounded) ? 0.0F : std::clamp(rounded, low, high);
            const auto result = static_cast<Integer>(clamped);
            std::memcpy(to + i * sizeof(result), &result, sizeof(result));
        }
    }

    template <class Format>
    static void put_floats(const float* values, std::uint32_t count, std::byte* to) {
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint16_t raw = Format::from_float(values[i]);
            std::memcpy(to + i * sizeof(raw), &raw, sizeof(raw));
        }
    }

    // int32 without a scale stays exact.
    void put_exact(const std::byte* from, std::uint32_t count, std::byte* to) const {
        for (std::uint32_t i = 0; i < count; ++i) {
            std::int32_t value = 0;
            std::memcpy(&value, from + i * sizeof(value), sizeof(value));
            value = operands.relu ? std::max(value, 0) : value;
            std::memcpy(to + i * sizeof(value), &value, sizeof(value));
        }
    }

    void put_shifted(const std::byte* from, std::uint32_t count, std::byte* to) const {
        constexpr std::int32_t low = std::numeric_limits<std::int16_t>::min();
        constexpr std::int32_t high = std::numeric_limits<std::int16_t>::max();
        for (std::uint32_t i = 0; i < count; ++i) {
            std::int32_t value = 0;
            std::memcpy(&value, from + i * sizeof(value), sizeof(value));
            const std::int32_t shifted = value >> scales[i].shift;
            const auto result = static_cast<std::int16_t>(std::clamp(shifted, operands.relu ? 0 : low, high));
            std::memcpy(to + i * sizeof(result), &result, sizeof(result));
        }
    }

    void convert(const std::byte* from, std::uint32_t count, std::byte* to) const {
        if (operands.source_type == DataType::int32 && operands.quantise == Quantise::none) {
            put_exact(from, count, to);
            return;
        }
        if (operands.destination_type == DataType::int16) {
            put_shifted(from, count, to);
            return;
        }
        if (operands.destination_type == DataType::float32 && operands.quantise == Quantise::none &&
            !operands.relu) {
            std::memcpy(to, from, count * sizeof(float));
            return;
        }
        std::array<float, row_values> values;
        scaled(from, count, values.data());
        switch (operands.destination_type) {
            case DataType::half:
                put_floats<numbers::HalfFormat>(values.data(), count, to);
                return;
            case DataType::bfloat16:
                put_floats<numbers::Bfloat16Format>(values.data(), count, to);
                return;
            case DataType::int8:
                put_integers<std::int8_t>(values.data(), count, to);
                return;
            case DataType::uint8:
                put_integers<std::uint8_t>(values.data(), count, to);
                return;
            default:
                std::memcpy(to, values.data(), count * sizeof(float));
                return;
        }
    }
};

// Calls put(row, column, bytes, count) for every run of up to 16 columns, converted.
template <class Put>
void for_each_run(const FixpipeOperands& operands,
                  const std::byte* result,
                  const std::byte* scales,
                  Put put) {
    std::array<std::byte, row_values * sizeof(float)> converted;
    for (std::uint32_t column = 0; column < operands.n; column += row_values) {
        const std::uint32_t count = std::min(row_values, operands.n - column);
        Row row{operands, {}};
        for (std::uint32_t i = 0; i < count && operands.quantise != Quantise::none; ++i) {
            std::uint64_t packed = operands.scale;
            if (operands.quantise == Quantise::vector) {
                std::memcpy(&packed, scales + (std::size_t{column} + i) * sizeof(packed), sizeof(packed));
            }
            row.scales[i] = QuantiseScale::unpack(packed);
        }
        const std::byte* fractals = result + std::size_t{column} * operands.source_pitch * sizeof(float);
        for (std::uint32_t r = 0; r < operands.m; ++r) {
            row.convert(fractals + std::size_t{r} * row_values * sizeof(float), count, converted.data());
            put(r, column, converted.data(), count);
        }
    }
}

// Writes all matrices to `to`.
void write(const FixpipeOperands& operands, CorePort& core, std::byte* to, const AtomicWrite& atomic) {
    const std::size_t size = bits(operands.destination_type) / 8;
    const std::byte* scales = operands.quantise == Quantise::vector ? core.at(operands.scales) : nullptr;
    for (std::uint32_t matrix = 0; matrix < operands.count; ++matrix) {
        const std::byte* result = core.at({Memory::l0c, operands.source}) +
                                  matrix * operands.source_matrix_pitch * fractal_cells * sizeof(float);
        std::byte* image = to + matrix * operands.destination_matrix_pitch * size;
        for_each_run(
            operands,
            result,
            scales,
            [&](std::uint32_t row, std::uint32_t column, const std::byte* values, std::uint32_t count) {
                if (operands.to_nd) {
                    store(image + (row * operands.destination_pitch + column) * size,
                          values,
                          count * size,
                          atomic);
                    return;
                }
                // A block may be narrower (channel split) or wider (8 bits) than the run.
                const std::uint32_t width = operands.block_columns();
                for (std::uint32_t done = 0; done < count; done += width) {
                    const std::uint32_t first = column + done;
                    std::byte* block = image + first / width * operands.destination_pitch * 32;
                    store(block + std::size_t{row} * operands.block_bytes() + first % width * size,
                          values + done * size,
                          std::min(width, count - done) * size,
                          atomic);
                }
            });
    }
}

std::string buffer_fault(const FixpipeOperands& operands, Local destination) {
    if (operands.to_nd) {
        return fmt::format("a result goes to {} as NZ only (CFG_NZ)", name(destination.memory));
    }
    return destination.offset % 32 != 0
               ? fmt::format("the destination is at byte {} of {}; it must start at a multiple of 32",
                             destination.offset,
                             name(destination.memory))
               : operands.fault();
}

void buffer_accesses(const FixpipeOperands& operands, Local destination, Accesses& list) {
    if (operands.n == 0 || operands.m == 0) {
        return;
    }
    operands.read(list);
    Access runs = operands.destination_runs();
    runs.memory = destination.memory;
    runs.offset = destination.offset;
    list.write(runs);
}

}  // namespace

QuantiseScale QuantiseScale::unpack(std::uint64_t bits) {
    constexpr std::uint32_t scale_mask = 0xFFFFE000;  // sign, 8 bits of exponent, 10 of mantissa
    const auto raw = static_cast<std::uint32_t>((bits >> 37U) & 0x1FFU);
    return {std::bit_cast<float>(static_cast<std::uint32_t>(bits) & scale_mask),
            static_cast<std::int32_t>(raw ^ 0x100U) - 0x100,
            static_cast<std::uint32_t>((bits >> 32U) & 0xFU) + 1};
}

bool FixpipeOperands::converts() const {
    const bool floats = source_type == DataType::float32;
    if (!floats && source_type != DataType::int32) {
        return false;
    }
    switch (destination_type) {
        case DataType::float32:
            return floats;
        case DataType::int32:
            return !floats && quantise == Quantise::none;
        case DataType::half:
            return floats || quantise != Quantise::none;
        case DataType::bfloat16:
            return floats;
        case DataType::int16:
            return !floats && quantise != Quantise::none;
        case DataType::int8:
        case DataType::uint8:
            return quantise != Quantise::none;
        default:
            return false;
    }
}

std::string FixpipeOperands::fault() const {
    if (source % 64 != 0) {
        return fmt::format("the source is at byte {} of l0c; it must start at a multiple of 64", source);
    }
    if (n > 4095 || m > 65535) {
        return fmt::format("n {} and m {}: at most 4095 and 65535", n, m);
    }
    return fmt::format("{} in l0c cannot become {} {} a scale",
                       name(source_type),
                       name(destination_type),
                       quantise == Quantise::none ? "without" : "with");
}

std::uint32_t FixpipeOperands::block_columns() const {
    switch (bits(destination_type)) {
        case 8:
            return 32;
        case 32:
            return channel_split ? 8 : 16;
        default:
            return 16;
    }
}

std::uint32_t FixpipeOperands::block_bytes() const {
    return block_columns() * bits(destination_type) / 8;
}

void FixpipeOperands::read(Accesses& list) const {
    const std::uint64_t columns = ceil_div(n, fractal_rows);
    const std::uint64_t row_bytes = row_values * sizeof(float);
    const std::uint64_t pitch = source_pitch * row_bytes;
    if (count == 1) {
        list.read({.memory = Memory::l0c,
                   .offset = source,
                   .row_bytes = m * row_bytes,
                   .rows = columns,
                   .pitch = pitch});
    } else if (columns != 0) {
        list.read({.memory = Memory::l0c,
                   .offset = source,
                   .row_bytes = (columns - 1) * pitch + m * row_bytes,
                   .rows = count,
                   .pitch = source_matrix_pitch * fractal_cells * sizeof(float)});
    }
    if (quantise == Quantise::vector) {
        list.read(scales, std::uint64_t{n} * sizeof(std::uint64_t));
    }
}

Access FixpipeOperands::destination_runs() const {
    const std::uint64_t size = bits(destination_type) / 8;
    if (!to_nd) {
        return {.row_bytes = std::uint64_t{m} * block_bytes(),
                .rows = ceil_div(n, block_columns()),
                .pitch = destination_pitch * 32};
    }
    if (count == 1) {
        return {.row_bytes = n * size, .rows = m, .pitch = destination_pitch * size};
    }
    const std::uint64_t whole = m == 0 ? 0 : ((m - 1) * destination_pitch + n) * size;
    return {.row_bytes = whole, .rows = count, .pitch = destination_matrix_pitch * size};
}

void FixpipeToGm::accesses(Accesses& list) const {
    if (operands.n == 0 || operands.m == 0) {
        return;
    }
    operands.read(list);
    Access runs = operands.destination_runs();
    runs.memory = Memory::gm;
    runs.offset = destination;
    runs.atomic = atomic.active();
    list.write(runs);
}

void FixpipeToGm::time(const ChipSpec& chip, TimedOp& op) const {
    const FixpipeSpec& fixpipe = chip.fixpipe;
    const std::uint64_t bytes =
        std::uint64_t{operands.count} * operands.m * operands.n * bits(operands.destination_type) / 8;
    const double rate = fixpipe.gm_bytes_per_cycle * (atomic.active() ? fixpipe.atomic_efficiency : 1.0);
    op.kind = OpKind::transfer;
    op.pipe = Pipe::fixpipe;
    op.occupies = static_cast<std::uint32_t>(std::ceil(static_cast<double>(bytes) / rate));
    op.latency = fixpipe.start_cycles;
    op.bytes = static_cast<std::uint32_t>(bytes);
    op.work = operands.count * operands.m * operands.n;
    op.a = operands.unit_flag;
    op.memory = Memory::l0c;
    op.offset = operands.source;
}

void FixpipeToGm::execute(CorePort& core) const {
    write(operands, core, core.global().base() + destination, atomic);
}

Transfer FixpipeToGm::transfer(const CorePort&) const {
    const std::uint64_t size = bits(operands.destination_type) / 8;
    Transfer result{.offset = destination, .route = Route::l0c_to_gm, .atomic = atomic.active()};
    if (operands.to_nd) {
        result.row_bytes = static_cast<std::uint32_t>(operands.n * size);
        result.rows = operands.m;
        result.row_pitch = operands.destination_pitch * size;
        result.planes = operands.count;
        result.plane_pitch = operands.destination_matrix_pitch * size;
        result.route = Route::l0c_to_gm_nz2nd;
    } else {
        result.row_bytes = operands.m * operands.block_bytes();
        result.rows = ceil_div(operands.n, operands.block_columns());
        result.row_pitch = operands.destination_pitch * 32;
    }
    return result;
}

std::string FixpipeToL1::fault() const {
    return buffer_fault(operands, {Memory::l1, destination});
}

void FixpipeToL1::accesses(Accesses& list) const {
    buffer_accesses(operands, {Memory::l1, destination}, list);
}

void FixpipeToL1::time(const ChipSpec& chip, TimedOp& op) const {
    const std::uint32_t values = round_up(operands.m, fractal_rows) * round_up(operands.n, fractal_rows);
    op.pipe = Pipe::fixpipe;
    op.occupies = ceil_div(values, chip.fixpipe.l1_elements_per_cycle);
    op.latency = chip.fixpipe.latency;
    op.bytes = operands.m * operands.n * bits(operands.destination_type) / 8;
    op.work = operands.m * operands.n;
    op.a = operands.unit_flag;
    op.memory = Memory::l1;
    op.offset = destination;
}

void FixpipeToL1::execute(CorePort& core) const {
    write(operands, core, core.at({Memory::l1, destination}), {});
}

std::string CopyResultToUb::fault() const {
    return buffer_fault(operands, {Memory::ub, destination});
}

void CopyResultToUb::accesses(Accesses& list) const {
    buffer_accesses(operands, {Memory::ub, destination}, list);
}

void CopyResultToUb::time(const ChipSpec& chip, TimedOp& op) const {
    const std::uint32_t values = round_up(operands.m, fractal_rows) * round_up(operands.n, fractal_rows);
    const double rate = chip.coupled.l0c_ub_bytes_per_cycle;
    op.pipe = Pipe::vector;
    op.occupies = static_cast<std::uint32_t>(
        std::ceil(std::max<double>(chip.vector.min_cycles, values * sizeof(float) / rate)));
    op.latency = static_cast<std::uint32_t>(chip.vector.simple.head + chip.vector.simple.tail);
    op.bytes = operands.m * operands.n * bits(operands.destination_type) / 8;
    op.work = operands.m * operands.n;
    op.memory = Memory::ub;
    op.offset = destination;
}

void CopyResultToUb::execute(CorePort& core) const {
    write(operands, core, core.at({Memory::ub, destination}), {});
}

}  // namespace ascendsim::isa
