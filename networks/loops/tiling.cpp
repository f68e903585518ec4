// SPDX-License-Identifier: Apache-2.0
#include "networks/loops/tiling.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include <fmt/format.h>

#include "kernels/plan/work_split.hpp"
#include "networks/loops/reasons.hpp"

namespace ascendsim::networks::loops {
namespace {

constexpr std::uint64_t most_rows = 248;         // repeats of an instruction, in whole groups of 8
constexpr std::uint64_t most_columns = 1 << 16;  // beyond it a copy's fields may not hold them
constexpr std::uint64_t lanes = 64;
constexpr std::uint64_t held_buffers = 1;
constexpr std::uint64_t reserved = 1024;  // bytes the framework may keep, and between banks

std::uint64_t padded(std::uint64_t bytes) {
    return round_up(bytes, std::uint64_t{32});
}

/// Chooses the sizes of tiles.
class Tiler {
public:
    explicit Tiler(const TilingProblem& problem)
        : p_{problem},
          rows_{problem.space.rows().extent},
          width_{problem.space.width().extent},
          step_{narrowest()} {}

    /// Elements to which rows are padded: a whole block of every type; whole vectors where they are reduced.
    std::uint64_t pitch(std::uint64_t chunk) const {
        const bool vectors = chunk > lanes && p_.schedule.slots[static_cast<std::size_t>(Kind::fold)] > 0;
        return round_up(chunk, vectors ? std::max(step_, lanes) : step_);
    }

    std::uint64_t tensor_bytes(isa::DataType type, Form form, std::uint64_t rows, std::uint64_t chunk) const {
        const std::uint64_t count = form.dense() ? (p_.space.flat ? pitch(chunk) : rows * pitch(chunk))
                                    : form.width ? pitch(chunk)
                                    : form.rows  ? round_up(rows, std::uint64_t{32})
                                                 : 32;
        return padded(isa::bytes_of(type, count)) + 256;
    }

    std::uint64_t in_bytes(std::uint64_t rows, std::uint64_t chunk) const {
        std::uint64_t bytes = 0;
        for (const std::size_t read : streams()) {
            bytes += tensor_bytes(type_of(read), form_of(p_.space.reads[read]), rows, chunk);
        }
        return bytes;
    }

    std::uint64_t out_bytes(std::uint64_t rows, std::uint64_t chunk) const {
        std::uint64_t bytes = 0;
        for (std::size_t i = 0; i < p_.space.writes.size(); ++i) {
            bytes += tensor_bytes(out_type(i), p_.space.write_forms[i], rows, chunk);
        }
        return bytes;
    }

    std::uint64_t slot(std::uint64_t rows, std::uint64_t chunk) const {
        return round_up((p_.space.flat ? 1 : rows) * pitch(chunk), lanes) + lanes;
    }

    std::uint64_t work_bytes(std::uint64_t rows, std::uint64_t chunk) const {
        const auto& slots = p_.schedule.slots;
        const std::uint64_t column = round_up(rows, lanes);
        return 4 *
               (slots[0] * slot(rows, chunk) + slots[1] * round_up(pitch(chunk), lanes) + slots[2] * column +
                slots[3] * 8 * column + slots[4] * lanes + slots[5] * fold(rows, chunk));
    }

    /// An eighth of a tile, and what is left of that again and again.
    std::uint64_t fold(std::uint64_t rows, std::uint64_t chunk) const {
        return round_up(slot(rows, chunk) / 7, lanes) + 2 * lanes;
    }

    std::uint64_t held_bytes(std::uint64_t chunk) const {
        return p_.schedule.held.empty() ? 0 : held_buffers * (4 * pitch(chunk) + 256);
    }

    bool fits(std::uint64_t rows, std::uint64_t chunk) const {
        return 2 * in_bytes(rows, chunk) + 2 * out_bytes(rows, chunk) + work_bytes(rows, chunk) +
                   held_bytes(chunk) + reserved <=
               p_.chip.buffers.ub;
    }

    std::vector<std::size_t> streams() const {
        std::vector<std::size_t> reads;
        for (const Body* body : p_.schedule.bodies()) {
            for (const std::size_t read : body->reads) {
                if (std::ranges::find(reads, read) == reads.end()) {
                    reads.push_back(read);
                }
            }
        }
        std::ranges::sort(reads);
        return reads;
    }

    Form form_of(const Access& access) const {
        const bool width = access.strides.back() != 0;
        return {p_.space.flat ? width : access.strides[access.strides.size() - 2] != 0, width};
    }

    isa::DataType type_of(std::size_t read) const { return p_.loop.inputs[p_.space.reads[read].tensor].type; }

    isa::DataType out_type(std::size_t write) const {
        const std::size_t value = p_.loop.outputs[write];
        return value < p_.loop.inputs.size() ? p_.loop.inputs[value].type
                                             : p_.loop.steps[value - p_.loop.inputs.size()].result.type;
    }

    Tiling run() {
        Tiling tiling;
        const std::uint64_t chunk = p_.choice.chunk != 0 ? p_.choice.chunk : choose_chunk();
        const std::uint64_t rows = p_.choice.rows != 0 ? p_.choice.rows : choose_rows(chunk);
        tiling.chunk = static_cast<std::uint32_t>(chunk);
        tiling.tile = static_cast<std::uint32_t>(rows);
        tiling.pitch = static_cast<std::uint32_t>(pitch(chunk));
        check_ragged();
        const std::uint64_t units = units_of(rows, chunk);
        const std::uint64_t cores = p_.choice.cores != 0 ? p_.choice.cores : host::vector_cores(p_.chip);
        tiling.blocks = static_cast<std::uint32_t>(std::min<std::uint64_t>(units, cores));
        add_fields(tiling, units);
        return tiling;
    }

    /// Tiles of half and twice the size, and fewer cores, which take less to start.
    std::vector<TilingChoice> beside() const {
        const std::uint64_t chunk = choose_chunk();
        const std::uint64_t rows = choose_rows(chunk);
        std::vector<TilingChoice> choices;
        const bool free_rows = !p_.space.flat && rows_ > 1 && !p_.space.rows().reduced;
        const bool free_chunk = p_.space.flat && !p_.space.width().reduced;
        const std::uint64_t unit = std::max<std::uint64_t>(step_, 256);
        for (const auto& [over, under] : {std::pair{1U, 2U}, std::pair{2U, 1U}, std::pair{1U, 4U}}) {
            const std::uint64_t other_rows = std::min({rows * over / under, rows_, most_rows});
            if (free_rows && other_rows != rows && other_rows != 0 && fits(other_rows, chunk)) {
                choices.push_back({.rows = other_rows});
            }
            const std::uint64_t other = std::min(round_up(chunk * over / under, unit), width_);
            if (free_chunk && other != chunk && other != 0 && fits(1, other)) {
                choices.push_back({.chunk = other});
            }
        }
        const std::uint64_t used =
            std::min<std::uint64_t>(units_of(rows, chunk), host::vector_cores(p_.chip));
        for (const std::uint64_t fewer : {used / 2, used / 4}) {
            if (fewer != 0) {
                choices.push_back({.cores = fewer});
            }
        }
        return choices;
    }

private:
    std::uint64_t narrowest() const {
        std::uint64_t bits = 32;
        for (const Value& input : p_.loop.inputs) {
            bits = std::min<std::uint64_t>(bits, isa::bits(input.type));
        }
        for (std::size_t i = 0; i < p_.space.writes.size(); ++i) {
            bits = std::min<std::uint64_t>(bits, isa::bits(out_type(i)));
        }
        return 256 / bits;
    }

    /// Whole rows if they fit, else as many columns as a row of a tile takes. Flat tensors: a share in at
    /// least four tiles of 4 KiB or more, so that the first copy in and the last copy out stay short.
    std::uint64_t choose_chunk() const {
        const std::uint64_t least_rows = p_.space.rows().reduced && !p_.schedule.chunked ? rows_ : 1;
        const std::uint64_t unit = std::max<std::uint64_t>(step_, p_.space.flat ? 256 : lanes);
        const std::uint64_t wanted = std::min<std::uint64_t>(width_, most_columns);
        if (!p_.space.flat && wanted == width_ && fits(least_rows, wanted)) {
            return wanted;
        }
        std::uint64_t low = 0;
        std::uint64_t high = ceil_div(wanted, unit);
        while (low < high) {
            const std::uint64_t middle = (low + high + 1) / 2;
            if (fits(least_rows, middle * unit)) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        if (low == 0) {
            throw CannotGenerate{
                Reason::buffer_too_small,
                fmt::format("{} elements in {} buffers of 4 bytes need more than the {} KiB of {}",
                            unit * least_rows,
                            p_.schedule.slots[0],
                            p_.chip.buffers.ub / 1024,
                            p_.chip.name)};
        }
        if (!p_.space.flat || p_.space.width().reduced) {
            return std::min(low * unit, width_);
        }
        const std::uint64_t share = ceil_div<std::uint64_t>(width_, host::vector_cores(p_.chip));
        const std::uint64_t quarter = std::max<std::uint64_t>(ceil_div<std::uint64_t>(share, 4 * unit), 8);
        const std::uint64_t tiles = ceil_div<std::uint64_t>(share, std::min(low, quarter) * unit);
        return std::min(std::min(low, ceil_div<std::uint64_t>(share, tiles * unit)) * unit, width_);
    }

    std::uint64_t units_of(std::uint64_t rows, std::uint64_t chunk) const {
        std::uint64_t units = 1;
        for (std::size_t a = 0; a + 2 < p_.space.axes.size(); ++a) {
            units *= p_.space.axes[a].reduced ? 1 : p_.space.axes[a].extent;
        }
        units *= p_.space.rows().reduced ? 1 : ceil_div(rows_, rows);
        return units * (p_.space.width().reduced ? 1 : ceil_div(width_, chunk));
    }

    /// The rows of a tile: few enough that cores have like shares of at least four tiles, if these stay
    /// large.
    std::uint64_t choose_rows(std::uint64_t chunk) const {
        if (p_.space.flat || rows_ == 1) {
            return 1;
        }
        std::uint64_t most = std::min(rows_, most_rows);
        while (most > 1 && !fits(most, chunk)) {
            --most;
        }
        if (p_.space.rows().reduced) {
            return most;
        }
        const std::uint64_t cores = host::vector_cores(p_.chip);
        const std::uint64_t large = std::max<std::uint64_t>(ceil_div<std::uint64_t>(2048, pitch(chunk)), 1);
        // Cycles: each instruction takes 64 elements a cycle, and some 40 to start and to be waited for.
        std::uint64_t instructions = 1;
        for (const Body* body : p_.schedule.bodies()) {
            instructions += body->nodes.size();
        }
        const std::uint64_t row = instructions * ceil_div(pitch(chunk), lanes);
        const std::uint64_t start = instructions * 40;
        std::uint64_t best = most;
        std::uint64_t best_cost = ~std::uint64_t{0};
        for (std::uint64_t rows = most; rows >= 1 && rows >= std::min(most, large); --rows) {
            const std::uint64_t turns = ceil_div(units_of(rows, chunk), cores);
            // The busiest core's tiles, and what the first copy in and the last copy out add.
            const std::uint64_t cost = turns * (rows * row + start) + rows * row / 2;
            if (cost < best_cost) {
                best = rows;
                best_cost = cost;
            }
        }
        return best;
    }

    /// Chips without padded copies carry the rest of a run in the scalar unit, but only of one run.
    void check_ragged() const {
        if (p_.chip.arch == "2201") {
            return;
        }
        const auto check_form = [&](Form form, isa::DataType type) {
            const std::uint64_t row = isa::bytes_of(type, width_);
            if (!p_.space.flat && (form.dense() ? row % 32 != 0 : form.rows)) {
                throw CannotGenerate{
                    Reason::ragged_rows,
                    fmt::format("{} elements of {} on {}", width_, isa::name(type), p_.chip.name)};
            }
        };
        for (const std::size_t read : streams()) {
            check_form(form_of(p_.space.reads[read]), type_of(read));
        }
        for (std::size_t i = 0; i < p_.space.writes.size(); ++i) {
            check_form(p_.space.write_forms[i], out_type(i));
        }
    }

    static void add(Tiling& tiling, std::string name, std::uint64_t value, std::string meaning) {
        if (value > 0xFFFFFFFFU) {
            throw CannotGenerate{Reason::too_large, fmt::format("{} is {}", meaning, value)};
        }
        tiling.fields.push_back(
            {std::move(name), static_cast<std::uint32_t>(value), false, std::move(meaning)});
    }

    void add_fields(Tiling& t, std::uint64_t units) const {
        const Space& space = p_.space;
        add(t, "units", units, "tiles, or groups of tiles that are reduced together");
        add(t, "share", ceil_div<std::uint64_t>(units, t.blocks), "units of a core");
        add(t, "steps", steps(t), "tiles of a unit");
        add(t, "rows", rows_, "of the tensors");
        add(t, "width", width_, "elements of a row");
        add(t, "tile", t.tile, "rows of a tile");
        add(t, "chunk", t.chunk, "elements of a row in a tile");
        add(t, "pitch", t.pitch, "elements from row to row of a tile");
        add(t, "slot", slot(t.tile, t.chunk), "elements of a buffer for a tile");
        if (p_.schedule.slots[static_cast<std::size_t>(Kind::fold)] > 0) {
            add(t, "fold", fold(t.tile, t.chunk), "elements of a buffer for rows that are reduced");
        }
        add(t, "in_bytes", in_bytes(t.tile, t.chunk), "of one set of inputs");
        add(t, "out_bytes", out_bytes(t.tile, t.chunk), "of one set of outputs");
        for (std::size_t a = 0; a + 2 < space.axes.size(); ++a) {
            add(t, fmt::format("extent_{}", a), space.axes[a].extent, "of an axis around the rows");
        }
        for (std::size_t i = 0; i < space.reads.size(); ++i) {
            add_access(t, fmt::format("x{}", i), space.reads[i]);
        }
        for (std::size_t i = 0; i < space.writes.size(); ++i) {
            add_access(t, fmt::format("y{}", i), space.writes[i]);
        }
        add_places(t);
        if (space.reduces()) {
            const float factor = 1.0F / static_cast<float>(space.reduced_extent());
            t.fields.push_back({"mean_factor",
                                std::bit_cast<std::uint32_t>(factor),
                                true,
                                "one over the elements of a mean"});
        }
    }

    std::uint64_t steps(const Tiling& t) const {
        std::uint64_t steps = 1;
        for (std::size_t a = 0; a + 2 < p_.space.axes.size(); ++a) {
            steps *= p_.space.axes[a].reduced ? p_.space.axes[a].extent : 1;
        }
        steps *= p_.space.rows().reduced ? ceil_div<std::uint64_t>(rows_, t.tile) : 1;
        return steps * (p_.space.width().reduced ? ceil_div<std::uint64_t>(width_, t.chunk) : 1);
    }

    static void add_access(Tiling& t, const std::string& name, const Access& access) {
        if (access.offset != 0) {
            add(t, name + "_offset", access.offset, "its first element");
        }
        for (std::size_t a = 0; a + 1 < access.strides.size(); ++a) {
            const bool is_row = a + 2 == access.strides.size();
            if (access.strides[a] != 0) {
                add(t,
                    is_row ? name + "_row" : fmt::format("{}_axis_{}", name, a),
                    access.strides[a],
                    is_row ? "elements from row to row" : "elements from one to the next");
            }
        }
    }

    void add_places(Tiling& t) const {
        std::uint64_t at = 0;
        for (const std::size_t read : streams()) {
            add(t, fmt::format("x{}_place", read), at, "bytes into a set of inputs");
            at += tensor_bytes(type_of(read), form_of(p_.space.reads[read]), t.tile, t.chunk);
        }
        at = 0;
        for (std::size_t i = 0; i < p_.space.writes.size(); ++i) {
            add(t, fmt::format("y{}_place", i), at, "bytes into a set of outputs");
            at += tensor_bytes(out_type(i), p_.space.write_forms[i], t.tile, t.chunk);
        }
    }

    const TilingProblem& p_;
    std::uint64_t rows_;
    std::uint64_t width_;
    std::uint64_t step_;
};

}  // namespace

std::uint32_t Tiling::field(std::string_view name) const {
    return std::ranges::find(fields, name, &Field::name)->value;
}

bool fits_whole(const TilingProblem& problem) {
    const Space& space = problem.space;
    for (std::size_t a = 0; a + 2 < space.axes.size(); ++a) {
        if (space.axes[a].reduced && space.axes[a].extent > 1) {
            return false;
        }
    }
    const std::uint64_t rows = space.rows().reduced ? space.rows().extent : 1;
    const std::uint64_t least = std::min<std::uint64_t>(space.width().extent, lanes);
    const std::uint64_t width = space.width().reduced ? space.width().extent : least;
    return rows <= most_rows && width <= most_columns && Tiler{problem}.fits(rows, width);
}

std::vector<TilingChoice> choices_beside(const TilingProblem& problem) {
    return Tiler{problem}.beside();
}

Tiling tile(const TilingProblem& problem) {
    return Tiler{problem}.run();
}

}  // namespace ascendsim::networks::loops
