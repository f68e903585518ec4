// SPDX-License-Identifier: Apache-2.0
#include "models/isa/vector/vector_reduce.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "models/isa/sync/synchronise.hpp"
#include "models/isa/vector/vector_issue.hpp"
#include "sim/base/units.hpp"

namespace ascendsim::isa {
namespace {

constexpr OpInfo sum_info{"vcadd", "Adds up each repeat."};
constexpr OpInfo max_info{"vcmax", "Finds the largest element of each repeat."};
constexpr OpInfo min_info{"vcmin", "Finds the smallest element of each repeat."};
constexpr OpInfo block_sum_info{"vcgadd", "Adds up each 32-byte block."};
constexpr OpInfo block_max_info{"vcgmax", "Finds the largest element of each 32-byte block."};
constexpr OpInfo block_min_info{"vcgmin", "Finds the smallest element of each 32-byte block."};
constexpr OpInfo pair_info{"vcpadd", "Adds neighbours."};
constexpr std::uint32_t max_lanes = 128;

template <class T>
constexpr bool computes =
    std::is_same_v<T, half> || std::is_same_v<T, float> || std::is_same_v<T, std::int16_t> ||
    std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::uint32_t> || std::is_same_v<T, std::uint16_t>;

template <class T>
T sum_of(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    } else {
        return a + b;
    }
}

template <class T>
T tree_sum(T* values, std::uint32_t n) {
    for (std::uint32_t count = n; count > 1; count /= 2) {
        for (std::uint32_t i = 0; i < count / 2; ++i) {
            values[i] = sum_of(values[2 * i], values[2 * i + 1]);
        }
    }
    return values[0];
}

// The lanes of one repeat with zero where a lane does not take part.
template <class T>
void active_lanes(const std::byte* ub,
                  const VectorOperand& src,
                  const VectorShape& shape,
                  std::uint32_t r,
                  std::uint32_t lanes,
                  T* values) {
    std::fill_n(reinterpret_cast<std::byte*>(values), lanes * sizeof(T), std::byte{0});
    gather_lanes(ub, src, shape, r, lanes, reinterpret_cast<std::byte*>(values));
}

// The first of the most extreme active lanes in [begin, end); `end` if none is active.
template <class T>
std::uint32_t extreme(Reduction how,
                      const T* values,
                      const VectorShape& shape,
                      std::uint32_t r,
                      std::uint32_t lanes,
                      std::uint32_t begin,
                      std::uint32_t end) {
    std::uint32_t best = end;
    for (std::uint32_t i = begin; i < end; ++i) {
        if (!shape.active(r, i, lanes)) {
            continue;
        }
        const bool better =
            best == end || (how == Reduction::max ? values[i] > values[best] : values[i] < values[best]);
        best = better ? i : best;
    }
    return best;
}

template <class T>
void save_extreme(std::byte* at, ExtremeForm form, T value, std::uint32_t index) {
    using Index = std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>;
    const auto narrow = static_cast<Index>(index);
    switch (form) {
        case ExtremeForm::value_index:
            save(at, value);
            save(at + sizeof(T), narrow);
            break;
        case ExtremeForm::index_value:
            save(at, narrow);
            save(at + sizeof(T), value);
            break;
        case ExtremeForm::only_value:
            save(at, value);
            break;
        case ExtremeForm::only_index:
            save(at, index);
            break;
    }
}

std::uint32_t extreme_bytes(ExtremeForm form, std::uint32_t size) {
    return form == ExtremeForm::only_value ? size : form == ExtremeForm::only_index ? 4 : 2 * size;
}

struct Call {
    const OpInfo& info;
    const VectorCost VectorSpec::*cost;
    const ReduceTarget& dst;
    const VectorOperand& src;
    const VectorShape& shape;
    std::uint32_t result_bytes;  // per repeat
    Site site;
};

Accesses accesses_of(const Call& call, std::uint32_t lanes) {
    Accesses list;
    list.read(operand_access(call.src, call.shape, lanes));
    if (call.result_bytes != 0) {
        list.write({.memory = Memory::ub,
                    .offset = call.dst.offset,
                    .row_bytes = call.result_bytes,
                    .rows = call.shape.repeat_count(lanes),
                    .pitch = call.dst.repeat_bytes});
    }
    return list;
}

// Issues one reduction; `each(values, r, lanes, to)` reduces a repeat.
template <class Each>
void issue_reduction(const Call& call, Each each) {
    check_aligned(call.src.offset, "the source", call.info, call.site);
    const std::uint32_t lanes = lanes_of(call.src);
    check_shape(call.shape, lanes, call.info, call.site);
    const std::uint32_t repeats = call.shape.repeat_count(lanes);
    const auto effect = [&](std::byte* ub) {
        with_type(call.src.type, call.info, call.site, [&](auto zero) {
            using T = decltype(zero);
            if constexpr (computes<T>) {
                std::array<T, max_lanes> values;
                for (std::uint32_t r = 0; r < repeats; ++r) {
                    active_lanes(ub, call.src, call.shape, r, lanes, values.data());
                    each(values.data(),
                         r,
                         lanes,
                         ub + call.dst.offset + std::size_t{r} * call.dst.repeat_bytes);
                }
            } else {
                CorePort::current().fail(call.info,
                                         call.site,
                                         fmt::format("is not defined for {}", name(call.src.type)),
                                         Pipe::vector);
            }
        });
    };
    issue(VectorInstruction{call.info,
                            call.cost,
                            accesses_of(call, lanes),
                            {.repeats = repeats, .width = call.src.size()},
                            call.shape.elements(lanes),
                            repeats * call.result_bytes,
                            call.dst.offset,
                            effect},
          call.site);
}

const OpInfo& extreme_info(Reduction how) {
    return how == Reduction::max ? max_info : min_info;
}

// The pairs (value, index within its repeat) that a first pass left in `work`, to one with the index among
// all.
void reduce_index_pairs(const ReduceTensor& reduce, std::uint32_t pairs, std::uint32_t lanes, Site site) {
    const std::uint32_t size = reduce.src.size();
    const OpInfo& info = extreme_info(reduce.how);
    Accesses list;
    list.read(Local{Memory::ub, reduce.work}, pairs * 2 * size);
    list.write(Local{Memory::ub, reduce.dst}, 2 * size);
    const auto effect = [&](std::byte* ub) {
        with_type(reduce.src.type, info, site, [&](auto zero) {
            using T = decltype(zero);
            using Index = std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>;
            const std::byte* at = ub + reduce.work;
            T best = load<T>(at);
            std::uint32_t index = load<Index>(at + size);
            for (std::uint32_t i = 1; i < pairs; ++i) {
                const T value = load<T>(at + std::size_t{i} * 2 * size);
                if (reduce.how == Reduction::max ? value > best : value < best) {
                    best = value;
                    index = i * lanes + load<Index>(at + std::size_t{i} * 2 * size + size);
                }
            }
            save_extreme(ub + reduce.dst, ExtremeForm::value_index, best, index);
        });
    };
    const std::uint32_t repeats = ceil_div(pairs * 2 * size, block_bytes * blocks_per_repeat);
    issue(VectorInstruction{info,
                            &VectorSpec::reduce_repeat,
                            list,
                            {.repeats = repeats, .width = size},
                            pairs,
                            2 * size,
                            reduce.dst,
                            effect},
          site);
}

void reduce_step(
    Reduction how, const ReduceTarget& dst, const VectorOperand& src, const VectorShape& shape, Site site) {
    if (how == Reduction::sum) {
        reduce_repeats_sum(dst, src, shape, site);
    } else {
        reduce_repeats_extreme(how, ExtremeForm::only_value, dst, src, shape, site);
    }
}

}  // namespace

Instructions vector_reduce_instructions() {
    return {&sum_info, &max_info, &min_info, &block_sum_info, &block_max_info, &block_min_info, &pair_info};
}

void reduce_repeats_sum(const ReduceTarget& dst,
                        const VectorOperand& src,
                        const VectorShape& shape,
                        Site site) {
    std::uint64_t accumulated = 0;
    issue_reduction({sum_info, &VectorSpec::reduce_repeat, dst, src, shape, src.size(), site},
                    [&]<class T>(T* values, std::uint32_t r, std::uint32_t lanes, std::byte* to) {
                        const T sum = tree_sum(values, lanes);
                        save(to, sum);
                        const T before = r == 0 ? T{} : ScalarBits{accumulated}.as<T>();
                        accumulated = ScalarBits{sum_of(before, sum)}.bits;
                    });
    CorePort::current().registers().reduce_accumulator = accumulated;
}

void accumulate_repeats(const VectorOperand& src, const VectorShape& shape, Site site) {
    std::uint64_t accumulated = 0;
    issue_reduction({sum_info, &VectorSpec::reduce_repeat, {}, src, shape, 0, site},
                    [&]<class T>(T* values, std::uint32_t r, std::uint32_t lanes, std::byte*) {
                        const T before = r == 0 ? T{} : ScalarBits{accumulated}.as<T>();
                        accumulated = ScalarBits{sum_of(before, tree_sum(values, lanes))}.bits;
                    });
    CorePort::current().registers().reduce_accumulator = accumulated;
}

void reduce_repeats_extreme(Reduction how,
                            ExtremeForm form,
                            const ReduceTarget& dst,
                            const VectorOperand& src,
                            const VectorShape& shape,
                            Site site) {
    // The register keeps the extreme of all repeats: the value's bits, above them its place. The first of
    // equals.
    std::uint64_t kept = 0;
    bool any = false;
    issue_reduction(
        {extreme_info(how),
         &VectorSpec::reduce_repeat,
         dst,
         src,
         shape,
         extreme_bytes(form, src.size()),
         site},
        [&]<class T>(T* values, std::uint32_t r, std::uint32_t lanes, std::byte* to) {
            const std::uint32_t best = extreme(how, values, shape, r, lanes, 0, lanes);
            if (best >= lanes) {
                return;
            }
            save_extreme(to, form, values[best], best);
            const T before = any ? ScalarBits{kept & 0xffffffffU}.as<T>() : values[best];
            const bool better = how == Reduction::max ? values[best] > before : values[best] < before;
            if (!any || better) {
                kept = (ScalarBits{values[best]}.bits & 0xffffffffU) | std::uint64_t{r * lanes + best} << 32U;
            }
            any = true;
        });
    CorePort::current().registers().reduce_index = kept;
}

void reduce_blocks(
    Reduction how, const ReduceTarget& dst, const VectorOperand& src, const VectorShape& shape, Site site) {
    const OpInfo& info = how == Reduction::sum   ? block_sum_info
                         : how == Reduction::max ? block_max_info
                                                 : block_min_info;
    const std::uint32_t bytes = blocks_per_repeat * src.size();
    issue_reduction({info, &VectorSpec::reduce_block, dst, src, shape, bytes, site},
                    [&]<class T>(T* values, std::uint32_t r, std::uint32_t lanes, std::byte* to) {
                        const std::uint32_t width = lanes / blocks_per_repeat;
                        for (std::uint32_t b = 0; b < blocks_per_repeat; ++b) {
                            const std::uint32_t begin = b * width;
                            if (how == Reduction::sum) {
                                save(to + b * sizeof(T), tree_sum(values + begin, width));
                                continue;
                            }
                            const std::uint32_t best =
                                extreme(how, values, shape, r, lanes, begin, begin + width);
                            if (best < begin + width) {
                                save(to + b * sizeof(T), values[best]);
                            }
                        }
                    });
}

void reduce_pairs(const ReduceTarget& dst, const VectorOperand& src, const VectorShape& shape, Site site) {
    issue_reduction(
        {pair_info, &VectorSpec::reduce_pair, dst, src, shape, block_bytes * blocks_per_repeat / 2, site},
        [&]<class T>(T* values, std::uint32_t, std::uint32_t lanes, std::byte* to) {
            for (std::uint32_t i = 0; i < lanes / 2; ++i) {
                save(to + i * sizeof(T), sum_of(values[2 * i], values[2 * i + 1]));
            }
        });
}

void reduce_tensor(const ReduceTensor& reduce, Site site) {
    const std::uint32_t lanes = lanes_of(reduce.src);
    const std::uint32_t size = reduce.src.size();
    std::uint32_t left = reduce.shape.repeat_count(lanes);
    if (left == 0) {
        return;
    }
    if (reduce.with_index) {
        const bool last = left == 1;
        reduce_repeats_extreme(reduce.how,
                               ExtremeForm::value_index,
                               {last ? reduce.dst : reduce.work, 2 * size},
                               reduce.src,
                               reduce.shape,
                               site);
        if (!last) {
            pipe_barrier(Pipe::vector, site);
            reduce_index_pairs(reduce, left, lanes, site);
        }
        return;
    }
    VectorOperand from = reduce.src;
    VectorShape shape = reduce.shape;
    while (true) {
        reduce_step(reduce.how, {left == 1 ? reduce.dst : reduce.work, size}, from, shape, site);
        if (left == 1) {
            return;
        }
        pipe_barrier(Pipe::vector, site);  // the next pass reads what this one leaves
        from = {reduce.work, 1, blocks_per_repeat, reduce.src.type};
        shape = VectorShape::of_count(left);
        left = shape.repeat_count(lanes);
    }
}

}  // namespace ascendsim::isa
