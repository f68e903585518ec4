// SPDX-License-Identifier: Apache-2.0
// A matrix from rows to NZ: columns of 32 bytes, each as high as the matrix. Tiles are copied in, their
// blocks are scattered by the vector unit, and copied out; the distance of two columns in the unified buffer
// decides whether the eight blocks of a repeat meet in one bank group. The last columns may be fewer than a
// repeat, and end inside of a block: the rest of it is zeros.
#include "kernel_operator.h"

using namespace AscendC;

struct Nd2NzTiling {
    uint32_t rows;
    uint32_t columns;  // elements of 16 bits
    uint32_t tile_rows;
    uint32_t column_pitch;  // blocks from one column to the next in the unified buffer
    uint32_t row_parts;     // cores along the rows
    uint32_t column_parts;  // and along the columns
};

class Nd2Nz {
public:
    __aicore__ inline Nd2Nz(GM_ADDR x, GM_ADDR z, const Nd2NzTiling& tiling) : t_(tiling) {
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x));
        z_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(z));
        const uint32_t rows_bytes = t_.tile_rows * tile_columns * static_cast<uint32_t>(sizeof(half));
        const uint32_t columns_bytes = (t_.column_pitch * tile_blocks) * 32;
        for (uint32_t i = 0; i < 2; ++i) {
            nd_[i] = LocalTensor<half>(TPosition::VECIN, i * rows_bytes, rows_bytes / 2);
            nz_[i] =
                LocalTensor<half>(TPosition::VECOUT, 2 * rows_bytes + i * columns_bytes, columns_bytes / 2);
        }
    }

    __aicore__ inline void Process() {
        for (int32_t i = 0; i < 2; ++i) {
            SetFlag<HardEvent::V_MTE2>(i);
            SetFlag<HardEvent::MTE3_V>(i);
        }
        const auto core = static_cast<uint32_t>(GetBlockIdx());
        const uint32_t row_tiles = Parts(t_.rows, t_.tile_rows);
        const uint32_t column_tiles = Parts(t_.columns, tile_columns);
        const Range rows = Share(row_tiles, t_.row_parts, core / t_.column_parts);
        const Range columns = Share(column_tiles, t_.column_parts, core % t_.column_parts);
        uint32_t number = 0;
        for (uint32_t row = rows.begin; row < rows.end; ++row) {
            for (uint32_t column = columns.begin; column < columns.end; ++column) {
                Tile(row * t_.tile_rows, column * tile_columns, static_cast<int32_t>(number++ % 2));
            }
        }
        for (int32_t i = 0; i < 2; ++i) {
            WaitFlag<HardEvent::V_MTE2>(i);
            WaitFlag<HardEvent::MTE3_V>(i);
        }
    }

private:
    struct Range {
        uint32_t begin;
        uint32_t end;
    };

    static constexpr uint32_t block = 16;          // elements
    static constexpr uint32_t tile_columns = 128;  // elements of a repeat
    static constexpr uint32_t tile_blocks = tile_columns / block;

    __aicore__ inline static uint32_t Parts(uint32_t value, uint32_t unit) {
        return (value + unit - 1) / unit;
    }

    // Equal parts; the first ones take what is left over.
    __aicore__ inline static Range Share(uint32_t total, uint32_t parts, uint32_t index) {
        const uint32_t least = total / parts;
        const uint32_t more = total % parts;
        const uint32_t begin = index * least + (index < more ? index : more);
        return {begin, begin + least + (index < more ? 1 : 0)};
    }

    __aicore__ inline void Tile(uint32_t row, uint32_t column, int32_t buffer) {
        const uint32_t height = t_.rows - row < t_.tile_rows ? t_.rows - row : t_.tile_rows;
        const uint32_t width = t_.columns - column < tile_columns ? t_.columns - column : tile_columns;
        const uint32_t blocks = Parts(width, block);
        WaitFlag<HardEvent::V_MTE2>(buffer);
        CopyIn(row, column, height, width, buffer);
        SetFlag<HardEvent::MTE2_V>(buffer);
        WaitFlag<HardEvent::MTE2_V>(buffer);
        WaitFlag<HardEvent::MTE3_V>(buffer);
        Copy(nz_[buffer],
             nd_[buffer],
             uint64_t{blocks * block},
             static_cast<uint8_t>(height),
             CopyRepeatParams(static_cast<uint16_t>(t_.column_pitch),
                              1,
                              1,
                              static_cast<uint16_t>(blocks)));  // (8, height, 16)
        SetFlag<HardEvent::V_MTE2>(buffer);
        SetFlag<HardEvent::V_MTE3>(buffer);
        WaitFlag<HardEvent::V_MTE3>(buffer);
        DataCopy(z_[(uint64_t{column / block} * t_.rows + row) * block],
                 nz_[buffer],
                 DataCopyParams(static_cast<uint16_t>(blocks),
                                static_cast<uint16_t>(height),
                                static_cast<uint16_t>(t_.column_pitch - height),
                                static_cast<uint16_t>(t_.rows - height)));  // (8, height, 16) UB -> GM
        SetFlag<HardEvent::MTE3_V>(buffer);
    }

    // (height, width) GM -> UB. Rows at whole blocks are copied as they are, others one by one and filled up
    // with zeros.
    __aicore__ inline void CopyIn(
        uint32_t row, uint32_t column, uint32_t height, uint32_t width, int32_t buffer) {
        const GlobalTensor<half> from = x_[uint64_t{row} * t_.columns + column];
        if (t_.columns % block == 0) {
            DataCopy(nd_[buffer],
                     from,
                     DataCopyParams(static_cast<uint16_t>(height),
                                    static_cast<uint16_t>(width / block),
                                    static_cast<uint16_t>((t_.columns - width) / block),
                                    0));
            return;
        }
        const uint8_t missing = static_cast<uint8_t>(Parts(width, block) * block - width);
        DataCopyPad(nd_[buffer],
                    from,
                    DataCopyExtParams(static_cast<uint16_t>(height),
                                      width * static_cast<uint32_t>(sizeof(half)),
                                      (t_.columns - width) * static_cast<uint32_t>(sizeof(half)),
                                      0,
                                      0),
                    DataCopyPadExtParams<half>(missing != 0, 0, missing, half(0)));
    }

    Nd2NzTiling t_;
    GlobalTensor<half> x_;  // (rows, columns)
    GlobalTensor<half> z_;  // (columns / 16 rounded up, rows, 16)
    LocalTensor<half> nd_[2];
    LocalTensor<half> nz_[2];
};

extern "C" __global__ __aicore__ void nd2nz_b16(GM_ADDR x, GM_ADDR z, Nd2NzTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    Nd2Nz(x, z, tiling).Process();
}

#ifdef ASCENDSIM_HOST
#include <fmt/format.h>

#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"

namespace ascendsim::host {
namespace {

using isa::DataType;

constexpr std::uint32_t tile_columns = 128;

class Nd2NzHost : public KernelHost {
public:
    std::string_view meaning() const override {
        return "a matrix of 16-bit elements from rows to NZ, by the vector unit";
    }

    std::vector<Knob> knobs() const override {
        return {
            Knob::shape("shape", {8192, 8192}, "rows and columns"),
            Knob::type("dtype", {DataType::half, DataType::bfloat16, DataType::int16}, "element type"),
            Knob::integer("tile_rows", 144, 16, 255, "rows", "rows of a tile"),
            Knob::integer("column_pitch",
                          0,
                          0,
                          4095,
                          "blocks",
                          "from one column of 16 to the next in the unified buffer; 0: one block more than a "
                          "tile has rows, "
                          "so that no two meet in a bank group"),
            Knob::integer("blocks", 0, 0, 1024, "", "cores; 0: all"),
        };
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const Shape& shape = knobs.shape("shape");
        if (shape.size() != 2 || shape[0] == 0 || shape[1] == 0) {
            throw knobs.error("shape", "must be rows x columns, of one element or more");
        }
        if (shape[1] > 16 * 65535 || shape[0] > 65535) {
            throw knobs.error("shape", "strides of a copy count up to 65535 blocks");
        }
        const Nd2NzTiling t = tile(knobs, chip, shape);
        const DataType type = knobs.type("dtype");
        Plan plan;
        plan.chosen = {{"column_pitch", t.column_pitch}};
        plan.problem =
            fmt::format("nd2nz {} {}, columns {} blocks apart", text(shape), name(type), t.column_pitch);
        plan.buffers = {Buffer::input("x", type, shape, fill::Integers{-100, 100}),
                        Buffer::output("z", type, {ceil_div<std::uint64_t>(shape[1], 16), shape[0], 16})};
        plan.launches = {{.entry = "nd2nz_b16",
                          .blocks = t.row_parts * t.column_parts,
                          .cores = ascendsim::CoreUse::aiv,
                          .arguments = {Argument::address("x"), Argument::address("z"), Argument::of(t)}}};
        plan.work.gm_bytes = 4 * elements(shape);
        plan.tolerances = {{.output = "z"}};  // elements move, nothing is computed
        plan.reference = [t](ReferenceData& data) {
            const std::vector<float>& x = data.floats("x");
            std::vector<double>& z = data.expected("z");
            for (std::uint64_t i = 0; i < z.size(); ++i) {
                const std::uint64_t row = i / 16 % t.rows;
                const std::uint64_t column = i / 16 / t.rows * 16 + i % 16;
                z[i] = column < t.columns ? static_cast<double>(x[row * t.columns + column]) : 0;
            }
        };
        return plan;
    }

private:
    static Nd2NzTiling tile(const Knobs& knobs, const ChipSpec& chip, const Shape& shape) {
        Nd2NzTiling t{.rows = static_cast<std::uint32_t>(shape[0]),
                      .columns = static_cast<std::uint32_t>(shape[1]),
                      .tile_rows = knobs.count("tile_rows")};
        t.column_pitch = knobs.count("column_pitch") != 0 ? knobs.count("column_pitch") : t.tile_rows | 1U;
        if (t.column_pitch < t.tile_rows) {
            throw knobs.error("column_pitch", fmt::format("columns of {} blocks would overlap", t.tile_rows));
        }
        const std::uint64_t bytes = 2ULL * (t.tile_rows * tile_columns * 2 + t.column_pitch * 8 * 32);
        if (bytes > chip.buffers.ub) {
            throw knobs.error("tile_rows", fmt::format("takes {} of {} bytes", bytes, chip.buffers.ub));
        }
        // As many parts along the columns as divide them evenly, the rest along the rows.
        const std::uint32_t cores = knobs.count("blocks") != 0 ? knobs.count("blocks") : vector_cores(chip);
        const std::uint32_t column_tiles = ceil_div(t.columns, tile_columns);
        t.column_parts = 1;
        while (column_tiles % (2 * t.column_parts) == 0 && cores % (2 * t.column_parts) == 0 &&
               t.column_parts < 8) {
            t.column_parts *= 2;
        }
        t.row_parts = std::clamp<std::uint32_t>(cores / t.column_parts, 1, ceil_div(t.rows, t.tile_rows));
        return t;
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::Nd2NzHost host;
    return &host;
}
#endif
