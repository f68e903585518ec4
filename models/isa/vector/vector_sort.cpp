// SPDX-License-Identifier: Apache-2.0
#include "models/isa/vector/vector_sort.hpp"

#include <algorithm>
#include <vector>

#include "models/isa/vector/vector_issue.hpp"
#include "sim/base/units.hpp"

namespace ascendsim::isa {
namespace {

constexpr OpInfo sort_info{"vbs32", "Sorts every 32 scores with their indices."};
constexpr OpInfo merge_info{"vmrgsort4", "Merges up to four sorted queues."};
constexpr OpInfo extract_info{"vextract", "Splits sorted elements into scores and indices."};
constexpr OpInfo transpose_info{"vnchwconv", "Transposes 16 rows of 32 bytes."};
constexpr std::uint32_t run = 32;  // elements sorted at once
constexpr std::uint32_t element_bytes = 8;
constexpr std::uint32_t index_at = 4;
constexpr std::size_t merged_slot = 3;  // of Registers::user: four 16-bit counts

struct Element {
    float score;
    std::uint64_t bits;
};

float score_of(const std::byte* at, DataType type) {
    return type == DataType::half ? float{load<half>(at)} : load<float>(at);
}

// Elements per repeat of a merge, as its cost counts them: 32 of 8 bytes.
std::uint32_t merge_repeats(std::uint64_t elements) {
    return static_cast<std::uint32_t>(ceil_div<std::uint64_t>(elements, run));
}

std::array<std::uint16_t, 4> merge_group(std::byte* ub, const MergeCall& call, std::uint32_t group) {
    std::array<const std::byte*, 4> next{};
    std::array<std::uint16_t, 4> used{};
    std::uint32_t total = 0;
    for (std::size_t q = 0; q < 4; ++q) {
        total += ((static_cast<unsigned>(call.valid) >> q) & 1U) != 0 ? call.lengths[q] : std::uint16_t{0};
    }
    for (std::size_t q = 0; q < 4; ++q) {
        next[q] = ub + call.sources[q] + std::size_t{group} * total * element_bytes;
    }
    std::vector<std::uint64_t> merged;
    merged.reserve(total);
    while (merged.size() < total) {
        std::size_t best = 4;
        float best_score = 0;
        for (std::size_t q = 0; q < 4; ++q) {
            if (((static_cast<unsigned>(call.valid) >> q) & 1U) == 0 || used[q] == call.lengths[q]) {
                continue;
            }
            const float score = score_of(next[q], call.type);
            if (best == 4 || score > best_score) {
                best = q;
                best_score = score;
            }
        }
        merged.push_back(load<std::uint64_t>(next[best]));
        next[best] += element_bytes;
        if (++used[best] == call.lengths[best] && call.stop_when_one_ends) {
            break;
        }
    }
    std::memcpy(ub + call.dst + std::size_t{group} * total * element_bytes,
                merged.data(),
                merged.size() * element_bytes);
    return used;
}

template <class T>
void transpose_block(std::byte* ub, const TransposeCall& call, std::uint32_t r) {
    constexpr std::uint32_t rows = 16;
    constexpr std::uint32_t columns = sizeof(T) == 1 ? 16 : block_bytes / sizeof(T);
    T values[rows][columns];
    const std::uint32_t skip = sizeof(T) == 1 && call.src_high_half ? columns : 0;
    for (std::uint32_t i = 0; i < rows; ++i) {
        std::memcpy(
            values[i], ub + call.src[i] + r * call.src_stride * block_bytes + skip, columns * sizeof(T));
    }
    const std::uint32_t per_target = sizeof(T) == 4 ? columns : rows;  // 32-bit columns take two targets
    for (std::uint32_t j = 0; j < columns; ++j) {
        for (std::uint32_t i = 0; i < rows; ++i) {
            const std::uint32_t target = sizeof(T) == 4 ? 2 * j + i / per_target : j;
            const std::uint32_t high = sizeof(T) == 1 && call.dst_high_half ? rows : 0;
            save(ub + call.dst[target] + r * call.dst_stride * block_bytes +
                     (i % per_target + high) * sizeof(T),
                 values[i][j]);
        }
    }
}

constexpr std::size_t list_rows = 16;  // of a TransDataTo5HD

/// A list of rows as few evenly spaced groups, which is what an access can say.
class RowGroups {
public:
    /// `bytes` of each row are touched.
    RowGroups(const std::array<std::uint32_t, list_rows>& list,
              std::uint64_t bytes,
              std::uint32_t repeats,
              std::uint32_t stride)
        : rows_{list}, bytes_{bytes}, repeats_{repeats}, stride_{std::uint64_t{stride} * block_bytes} {
        std::ranges::sort(rows_);
        // Every row, every second, third, fourth.
        for (std::size_t apart = 1; apart <= 4 && groups_.size() != 1; ++apart) {
            std::vector<Access> found;
            for (std::size_t first = 0; first < apart; ++first) {
                split(first, apart, found);
            }
            if (groups_.empty() || found.size() < groups_.size()) {
                groups_ = std::move(found);
            }
        }
    }

    /// The groups; one range that covers all rows if they are more than `limit`.
    [[nodiscard]] std::vector<Access> within(std::size_t limit) const {
        if (groups_.size() <= limit) {
            return groups_;
        }
        const std::uint64_t reach = (repeats_ - 1) * stride_ + bytes_;
        return {{.memory = Memory::ub,
                 .offset = rows_.front(),
                 .row_bytes = rows_.back() - rows_.front() + reach,
                 .covering = true,
                 .scattered = true}};
    }

private:
    // Evenly spaced runs of the rows first, first + apart, ...
    void split(std::size_t first, std::size_t apart, std::vector<Access>& found) const {
        for (std::size_t i = first; i < rows_.size();) {
            std::size_t next = i + apart;
            const std::uint64_t pitch = next < rows_.size() ? rows_[next] - rows_[i] : 0;
            std::uint64_t count = 1;
            while (next < rows_.size() && rows_[next] - rows_[next - apart] == pitch) {
                ++count;
                next += apart;
            }
            found.push_back(repeated({.memory = Memory::ub,
                                      .offset = rows_[i],
                                      .row_bytes = bytes_,
                                      .rows = count,
                                      .pitch = pitch}));
            i = next;
        }
    }

    [[nodiscard]] Access repeated(Access group) const {
        if (repeats_ == 1) {
            return group;
        }
        if (stride_ == bytes_) {
            group.row_bytes = repeats_ * bytes_;
        } else {
            group.planes = repeats_;
            group.plane_pitch = stride_;
        }
        return group;
    }

    std::array<std::uint32_t, list_rows> rows_;
    std::uint64_t bytes_;
    std::uint64_t repeats_;
    std::uint64_t stride_;
    std::vector<Access> groups_;
};

/// What a TransDataTo5HD touches. It has room for six accesses: what the sources leave is for the targets,
/// which rarely need more than two.
Accesses transposed_rows(const TransposeCall& call) {
    constexpr std::size_t capacity = 6;
    // Bytes are transposed in halves of a block.
    const bool bytes = bits(call.type) == 8;
    constexpr std::uint32_t half = block_bytes / 2;
    const auto groups = [&](std::array<std::uint32_t, list_rows> rows, bool high, std::uint32_t stride) {
        for (std::uint32_t& row : rows) {
            row += bytes && high ? half : 0;
        }
        return RowGroups{rows, bytes ? half : block_bytes, call.repeats, stride};
    };
    const std::vector<Access> written =
        groups(call.dst, call.dst_high_half, call.dst_stride).within(capacity - 1);
    const std::vector<Access> read =
        groups(call.src, call.src_high_half, call.src_stride).within(capacity - written.size());
    Accesses list;
    for (const Access& group : read) {
        list.read(group);
    }
    for (const Access& group : written) {
        list.write(group);
    }
    return list;
}

}  // namespace

Instructions vector_sort_instructions() {
    return {&sort_info, &merge_info, &extract_info, &transpose_info};
}

void vector_sort32(
    std::uint32_t dst, const VectorOperand& scores, std::uint32_t indices, std::uint32_t repeats, Site site) {
    check_aligned(dst, "the destination", sort_info, site);
    const std::uint32_t n = repeats * run;
    Accesses list;
    list.read(Local{Memory::ub, scores.offset}, std::uint64_t{n} * scores.size());
    list.read(Local{Memory::ub, indices}, std::uint64_t{n} * 4);
    list.write(Local{Memory::ub, dst}, std::uint64_t{n} * element_bytes);
    const auto effect = [&](std::byte* ub) {
        for (std::uint32_t r = 0; r < repeats; ++r) {
            std::array<Element, run> elements;
            for (std::uint32_t i = 0; i < run; ++i) {
                const std::byte* score = ub + scores.offset + (r * run + i) * scores.size();
                std::uint64_t bits = 0;
                std::memcpy(&bits, score, scores.size());
                bits |= std::uint64_t{load<std::uint32_t>(ub + indices + (r * run + i) * 4)} << 32U;
                elements[i] = {score_of(score, scores.type), bits};
            }
            std::ranges::stable_sort(elements, std::ranges::greater{}, &Element::score);
            for (std::uint32_t i = 0; i < run; ++i) {
                save(ub + dst + (r * run + i) * element_bytes, elements[i].bits);
            }
        }
    };
    issue(VectorInstruction{sort_info,
                            &VectorSpec::sort,
                            list,
                            {.repeats = ceil_div(n * scores.size(), 256U), .width = scores.size()},
                            n,
                            n * element_bytes,
                            dst,
                            effect},
          site);
}

void vector_merge(const MergeCall& call, Site site) {
    check_aligned(call.dst, "the destination", merge_info, site);
    Accesses list;
    std::uint64_t total = 0;
    for (std::size_t q = 0; q < 4; ++q) {
        if (((static_cast<unsigned>(call.valid) >> q) & 1U) != 0) {
            list.read(Local{Memory::ub, call.sources[q]}, std::uint64_t{call.lengths[q]} * element_bytes);
            total += call.lengths[q];
        }
    }
    total *= call.repeats;
    list.write(Local{Memory::ub, call.dst}, total * element_bytes);
    std::array<std::uint16_t, 4> used = call.lengths;
    const auto effect = [&](std::byte* ub) {
        for (std::uint32_t group = 0; group < call.repeats; ++group) {
            used = merge_group(ub, call, group);
        }
    };
    issue(VectorInstruction{merge_info,
                            &VectorSpec::merge_sort,
                            list,
                            {.repeats = merge_repeats(total), .width = 4},
                            static_cast<std::uint32_t>(total),
                            static_cast<std::uint32_t>(total * element_bytes),
                            call.dst,
                            effect},
          site);
    CorePort::current().registers().user[merged_slot] =
        load<std::uint64_t>(reinterpret_cast<const std::byte*>(used.data()));
}

std::array<std::uint16_t, 4> merged_counts() {
    std::array<std::uint16_t, 4> counts;
    std::memcpy(counts.data(), &CorePort::current().registers().user[merged_slot], sizeof(counts));
    return counts;
}

void vector_extract(const VectorOperand& scores,
                    std::uint32_t indices,
                    std::uint32_t sorted,
                    std::uint32_t repeats,
                    Site site) {
    const std::uint32_t n = repeats * run;
    Accesses list;
    list.read(Local{Memory::ub, sorted}, std::uint64_t{n} * element_bytes);
    list.write(Local{Memory::ub, scores.offset}, std::uint64_t{n} * scores.size());
    list.write(Local{Memory::ub, indices}, std::uint64_t{n} * 4);
    const auto effect = [&](std::byte* ub) {
        for (std::uint32_t i = 0; i < n; ++i) {
            const std::byte* element = ub + sorted + std::size_t{i} * element_bytes;
            const auto index = load<std::uint32_t>(element + index_at);
            std::memcpy(ub + scores.offset + i * scores.size(), element, scores.size());
            save(ub + indices + i * 4, index);
        }
    };
    issue(VectorInstruction{extract_info,
                            &VectorSpec::gather_mask,
                            list,
                            {.repeats = 2 * repeats, .width = 4},
                            n,
                            n * (scores.size() + 4),
                            scores.offset,
                            effect},
          site);
}

void vector_transpose_rows(const TransposeCall& call, Site site) {
    for (std::size_t i = 0; i < call.src.size(); ++i) {
        check_aligned(call.src[i], "a source row", transpose_info, site);
        check_aligned(call.dst[i], "a destination row", transpose_info, site);
    }
    const Accesses list = transposed_rows(call);
    const std::uint32_t size = bits(call.type) / 8;
    const auto effect = [&](std::byte* ub) {
        for (std::uint32_t r = 0; r < call.repeats; ++r) {
            if (size == 1) {
                transpose_block<std::uint8_t>(ub, call, r);
            } else if (size == 2) {
                transpose_block<std::uint16_t>(ub, call, r);
            } else {
                transpose_block<std::uint32_t>(ub, call, r);
            }
        }
    };
    issue(VectorInstruction{transpose_info,
                            &VectorSpec::transpose,
                            list,
                            {.repeats = 2 * call.repeats, .width = size},
                            call.repeats * 16 * block_bytes / size,
                            call.repeats * 16 * block_bytes,
                            call.dst[0],
                            effect},
          site);
}

}  // namespace ascendsim::isa
