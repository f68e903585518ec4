// SPDX-License-Identifier: Apache-2.0
// y[index[i], :] = u[i, :], or += : rows of updates go to the rows an index names. A core takes a share of
// the updates, many at a time; each row leaves with a copy of its own, sums are formed in global memory.
#include "kernels/shared/gm_copy.h"
#include "kernels/shared/order.h"

struct ScatterRowsTiling {
    uint64_t updates;
    uint64_t share;  // of a core
    uint32_t width;  // elements of a row
    uint32_t pitch;  // from row to row of a buffer
    uint32_t chunk;  // elements of a row taken at a time
    uint32_t tile;   // rows in a buffer
    uint32_t buffers;
    uint32_t add;
};

template <typename T>
class ScatterRows {
public:
    __aicore__ inline ScatterRows(GM_ADDR u, GM_ADDR index, GM_ADDR y, const ScatterRowsTiling& tiling)
        : t(tiling) {
        uGm.SetGlobalBuffer((__gm__ T*)u);
        indexGm.SetGlobalBuffer((__gm__ int32_t*)index);
        yGm.SetGlobalBuffer((__gm__ T*)y);
        pipe.InitBuffer(rows, t.buffers, t.tile * t.pitch * sizeof(T));
        pipe.InitBuffer(places, 2, (t.tile + 7) / 8 * 32);
    }

    __aicore__ inline void Process() {
        const uint64_t first = t.share * AscendC::GetBlockIdx();
        const uint64_t end = first + t.share < t.updates ? first + t.share : t.updates;
        if (t.add != 0) {
            AscendC::SetAtomicAdd<T>();
        }
        for (uint64_t i = first; i < end; i += t.tile) {
            const uint32_t n = end - i < t.tile ? end - i : t.tile;
            for (uint32_t column = 0; column < t.width; column += t.chunk) {
                Tile(i, n, column, t.width - column < t.chunk ? t.width - column : t.chunk);
            }
        }
        if (t.add != 0) {
            AscendC::SetAtomicNone();
        }
    }

private:
    __aicore__ inline void Tile(uint64_t i, uint32_t n, uint32_t column, uint32_t width) {
        AscendC::LocalTensor<int32_t> place = places.AllocTensor<int32_t>();
        CopyElementsIn(place, indexGm[i], n);
        places.EnQue(place);
        AscendC::LocalTensor<T> row = rows.template AllocTensor<T>();
        const uint64_t from = i * t.width + column;
        if (n == 1 || (width == t.width && width == t.pitch)) {
            CopyElementsIn(row, uGm[from], n * width);
        } else {
            AscendC::DataCopyPad(
                row,
                uGm[from],
                AscendC::DataCopyExtParams(n, width * sizeof(T), (t.width - width) * sizeof(T), 0, 0),
                AscendC::DataCopyPadExtParams<T>());
        }
        rows.EnQue(row);
        place = places.DeQue<int32_t>();
        Order<AscendC::HardEvent::MTE2_S>(pipe);
        row = rows.template DeQue<T>();
        for (uint32_t r = 0; r < n; ++r) {
            const uint64_t to = static_cast<uint64_t>(place.GetValue(r)) * t.width + column;
            CopyElementsOut(yGm[to], row[r * (n == 1 ? width : t.pitch)], width);  // (width) UB -> GM
        }
        places.FreeTensor(place);
        rows.FreeTensor(row);
    }

    ScatterRowsTiling t;
    AscendC::GlobalTensor<T> uGm, yGm;
    AscendC::GlobalTensor<int32_t> indexGm;
    AscendC::TPipe pipe;
    AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1> rows;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> places;
};

extern "C" __global__ __aicore__ void scatter_rows_float16(GM_ADDR u,
                                                           GM_ADDR index,
                                                           GM_ADDR y,
                                                           ScatterRowsTiling tiling) {
    ScatterRows<half>(u, index, y, tiling).Process();
}

extern "C" __global__ __aicore__ void scatter_rows_bfloat16(GM_ADDR u,
                                                            GM_ADDR index,
                                                            GM_ADDR y,
                                                            ScatterRowsTiling tiling) {
    ScatterRows<bfloat16_t>(u, index, y, tiling).Process();
}

extern "C" __global__ __aicore__ void scatter_rows_float32(GM_ADDR u,
                                                           GM_ADDR index,
                                                           GM_ADDR y,
                                                           ScatterRowsTiling tiling) {
    ScatterRows<float>(u, index, y, tiling).Process();
}

extern "C" __global__ __aicore__ void scatter_rows_int32(GM_ADDR u,
                                                         GM_ADDR index,
                                                         GM_ADDR y,
                                                         ScatterRowsTiling tiling) {
    ScatterRows<int32_t>(u, index, y, tiling).Process();
}

#ifdef ASCENDSIM_HOST
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"

namespace ascendsim::host {
namespace {

using isa::DataType;

class ScatterRowsHost : public KernelHost {
public:
    std::string_view meaning() const override { return "y[index[i], :] = u[i, :], or added to it"; }

    std::vector<Knob> knobs() const override {
        return {
            Knob::integer("rows", 10000, 1, 1 << 30, "rows", "rows of y"),
            Knob::shape("shape", {512, 128}, "extents of u: updates, elements of a row"),
            Knob::flag("add", false, "updates are added, and may share rows"),
            Knob::type("dtype",
                       {DataType::half, DataType::bfloat16, DataType::float32, DataType::int32},
                       "element type"),
            Knob::integer("blocks", 0, 0, 65535, "", "cores; 0: as many as are worth starting"),
            Knob::integer("buffers", 2, 1, 2, "", "buffers of rows; 2 overlaps reading and writing"),
        };
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const DataType type = knobs.type("dtype");
        const Shape& shape = knobs.shape("shape");
        if (chip.arch != "2201" || shape.size() != 2) {
            throw knobs.error("shape", "must be updates and elements of a row, on a chip whose copies pad");
        }
        const auto rows = static_cast<std::uint64_t>(knobs.integer("rows"));
        const bool add = knobs.flag("add");
        if (!add && shape[0] > rows) {
            throw knobs.error("rows", "must be as many as updates, none of which share one");
        }
        std::uint32_t blocks = 1;
        ScatterRowsTiling t = tile(knobs, chip, isa::bits(type) / 8, blocks);
        t.add = add ? 1 : 0;
        const std::vector<std::int32_t> places = rows_of_updates(shape[0], rows, add);
        const std::span<const std::byte> bytes = std::as_bytes(std::span{places});
        Plan plan;
        plan.problem = fmt::format("{} rows of {} into {} {}", shape[0], shape[1], rows, isa::name(type));
        Buffer index =
            Buffer::input("index", DataType::int32, {shape[0]}, fill::Content{{bytes.begin(), bytes.end()}});
        index.control = true;
        Buffer y = Buffer::output("y", type, {rows, shape[1]});
        y.role = Role::in_out;
        y.fill = fill::Integers{0, 7};
        plan.buffers = {Buffer::input("u", type, shape, fill::Integers{0, 7}), index, y};
        plan.launches = {{.entry = fmt::format("scatter_rows_{}", isa::name(type)),
                          .blocks = blocks,
                          .cores = ascendsim::CoreUse::aiv,
                          .arguments = {Argument::address("u"),
                                        Argument::address("index"),
                                        Argument::address("y"),
                                        Argument::of(t)}}};
        plan.work = {.gm_bytes = 2 * plan.buffers[0].bytes() + plan.buffers[1].bytes()};
        plan.reference = [places, add, width = shape[1]](ReferenceData& data) {
            expect(data, places, add, width);
        };
        plan.tolerances = {{.output = "y"}};
        return plan;
    }

private:
    /// The row of y each update goes to: far apart, each once unless they are added.
    static std::vector<std::int32_t> rows_of_updates(std::uint64_t updates, std::uint64_t rows, bool add) {
        std::vector<std::int32_t> places(updates);
        for (std::size_t i = 0; i < places.size(); ++i) {
            places[i] = static_cast<std::int32_t>(add ? i * 7919 % rows : i * (rows / updates));
        }
        return places;
    }

    static void expect(ReferenceData& data,
                       const std::vector<std::int32_t>& places,
                       bool add,
                       std::uint64_t width) {
        const std::vector<float>& u = data.floats("u");
        const std::vector<float>& before = data.floats("y");
        std::vector<double>& y = data.expected("y");
        std::copy(before.begin(), before.end(), y.begin());
        for (std::size_t i = 0; i < u.size(); ++i) {
            double& element = y[static_cast<std::size_t>(places[i / width]) * width + i % width];
            element = (add ? element : 0.0) + static_cast<double>(u[i]);
        }
    }

    static ScatterRowsTiling tile(const Knobs& knobs,
                                  const ChipSpec& chip,
                                  std::uint64_t size,
                                  std::uint32_t& blocks) {
        constexpr std::uint64_t least_share = 4096;  // B, below which a further core costs more than it saves
        const Shape& shape = knobs.shape("shape");
        ScatterRowsTiling t{.updates = shape[0],
                            .width = static_cast<std::uint32_t>(shape[1]),
                            .buffers = knobs.count("buffers")};
        const std::uint64_t row = std::max<std::uint64_t>(shape[1] * size, 1);
        blocks = blocks_or(knobs.count("blocks"), chip, t.updates, ceil_div(least_share, row));
        t.share = std::max<std::uint64_t>(ceil_div<std::uint64_t>(t.updates, blocks), 1);
        const std::uint64_t room = (chip.buffers.ub - 8192) / t.buffers / size;  // elements
        const std::uint64_t block = 32 / size;
        t.chunk = static_cast<std::uint32_t>(std::min<std::uint64_t>(shape[1], room / block * block));
        t.pitch = static_cast<std::uint32_t>(round_up(std::uint64_t{t.chunk}, block));
        const std::uint64_t worth = std::max<std::uint64_t>(ceil_div<std::uint64_t>(t.share, 4), 1);
        t.tile =
            static_cast<std::uint32_t>(std::clamp<std::uint64_t>(std::min(room / t.pitch, worth), 1, 512));
        return t;
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::ScatterRowsHost host;
    return &host;
}
#endif
