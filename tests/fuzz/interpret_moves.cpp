// SPDX-License-Identifier: Apache-2.0
// The interpreter's reductions and moves.
#include <vector>

#include "tests/fuzz/follower.hpp"

namespace fuzz {
namespace {

class MoveInterpreter : private Follower {
public:
    using Follower::Follower;

    Verdict run() {
        if (i_.op <= Op::pair_sum) {
            repeat_reductions();
        } else if (i_.op <= Op::reduce_min) {
            tensor_reductions();
        } else {
            moves();
        }
        return verdict_;
    }

private:
    /// Neighbours are added pair by pair until one is left; each sum is rounded to the type.
    [[nodiscard]] double tree(std::vector<double> terms) const {
        while (terms.size() > 1) {
            std::vector<double> next;
            for (std::size_t n = 0; n + 1 < terms.size(); n += 2) {
                next.push_back(to_type(i_.type, terms[n] + terms[n + 1]));
            }
            terms = next;
        }
        return terms[0];
    }

    /// The place of lane `lane` of repeat `r` of the source.
    [[nodiscard]] std::uint32_t source(std::uint32_t r, std::uint32_t lane) const {
        const std::uint32_t per_block = 32 / size_of(i_.type);
        return i_.a + 32 * (r * i_.repeat_stride[1] + lane / per_block * i_.block_stride[1]) +
               lane % per_block * size_of(i_.type);
    }

    /// The first extreme of lanes [from, to) of a repeat.
    struct Extreme {
        double value;
        std::uint32_t lane;
    };

    Extreme extreme(bool largest, std::uint32_t n, const std::function<double(std::uint32_t)>& at) {
        Extreme best{at(0), 0};
        for (std::uint32_t lane = 0; lane < n; ++lane) {
            const double x = at(lane);
            verdict_.defined &= !std::isnan(x);
            if (largest ? x > best.value : x < best.value) {
                best = {x, lane};
            }
        }
        return best;
    }

    void repeat_reductions() {
        const std::uint32_t size = size_of(i_.type);
        const std::uint32_t lanes = 256 / size;
        const std::uint32_t per_block = 32 / size;
        for (std::uint32_t r = 0; r < i_.repeats; ++r) {
            const auto at = [&](std::uint32_t lane) { return load(i_.type, source(r, lane)); };
            const auto terms = [&](std::uint32_t from, std::uint32_t n) {
                std::vector<double> list;
                for (std::uint32_t lane = from; lane < from + n; ++lane) {
                    list.push_back(lane < i_.count ? at(lane) : 0.0);
                }
                return list;
            };
            switch (i_.op) {
                case Op::whole_sum:
                    store(i_.type, i_.dst + r * i_.repeat_stride[0] * size, tree(terms(0, lanes)));
                    break;
                case Op::whole_max:
                case Op::whole_min:
                    whole_extreme(r, at);
                    break;
                case Op::pair_sum:
                    for (std::uint32_t p = 0; p < lanes / 2; ++p) {
                        store(i_.type,
                              i_.dst + r * i_.repeat_stride[0] * 128 + p * size,
                              tree(terms(2 * p, 2)));
                    }
                    break;
                default:
                    for (std::uint32_t b = 0; b < 8; ++b) {
                        const auto in_block = [&](std::uint32_t lane) { return at(b * per_block + lane); };
                        const double value = i_.op == Op::block_sum
                                                 ? tree(terms(b * per_block, per_block))
                                                 : extreme(i_.op == Op::block_max, per_block, in_block).value;
                        store(i_.type, i_.dst + (r * i_.repeat_stride[0] * 8 + b) * size, value);
                    }
            }
        }
    }

    /// Value and index, index and value, value alone, index alone, by `mode`.
    void whole_extreme(std::uint32_t r, const std::function<double(std::uint32_t)>& at) {
        const std::uint32_t size = size_of(i_.type);
        const Extreme best = extreme(i_.op == Op::whole_max, i_.count, at);
        const std::uint32_t unit = i_.mode == 2 ? size : i_.mode == 3 ? 4 : 2 * size;
        const std::uint32_t place = i_.dst + r * i_.repeat_stride[0] * unit;
        if (i_.mode != 3) {
            put_bits(i_.type, place + (i_.mode == 1 ? size : 0), bits(i_.type, source(r, best.lane)));
        }
        if (i_.mode == 3) {
            put_bits(Type::u32, place, best.lane);
        } else if (i_.mode != 2) {
            put_bits(i_.type, place + (i_.mode == 0 ? size : 0), best.lane);
        }
    }

    /// The order of a whole tensor's sum is left open: any order is within the sizes of the terms.
    void tensor_reductions() {
        const std::uint32_t size = size_of(i_.type);
        const auto at = [&](std::uint32_t n) { return load(i_.type, i_.a + n * size); };
        verdict_.only_first = true;
        if (i_.op == Op::reduce_sum) {
            double sum = 0;
            double sizes = 0;
            for (std::uint32_t n = 0; n < i_.count; ++n) {
                sum += at(n);
                sizes += std::fabs(at(n));
            }
            // At most 12 levels of a tree over 4096 elements, each rounding by half a unit.
            verdict_.slack = sizes * 12 * (i_.type == Type::f16 ? 0x1p-11 : 0x1p-24);
            verdict_.defined = std::isfinite(sizes) && sizes < (i_.type == Type::f16 ? 30000.0 : 1e38);
            store(i_.type, i_.dst, to_type(i_.type, sum));
            return;
        }
        const Extreme best = extreme(i_.op == Op::reduce_max, i_.count, at);
        put_bits(i_.type, i_.dst, bits(i_.type, i_.a + best.lane * size));
        put_bits(i_.type, i_.dst + size, best.lane);
    }

    void moves() {
        const std::uint32_t size = size_of(i_.type);
        const std::uint32_t per_block = 32 / size;
        switch (i_.op) {
            case Op::gather:
                for (std::uint32_t n = 0; n < i_.count; ++n) {
                    put_bits(i_.type,
                             i_.dst + n * size,
                             bits(i_.type, i_.a + static_cast<std::uint32_t>(bits(Type::u32, i_.b + 4 * n))));
                }
                break;
            case Op::brcb:
                for (std::uint32_t n = 0; n < 8 * i_.repeats; ++n) {
                    for (std::uint32_t lane = 0; lane < per_block; ++lane) {
                        put_bits(i_.type,
                                 i_.dst + 32 * (n / 8 * i_.repeat_stride[0] + n % 8 * i_.block_stride[0]) +
                                     lane * size,
                                 bits(i_.type, i_.a + n * size));
                    }
                }
                break;
            case Op::copy:
                each(size, [&](auto d, auto a, auto) { put_bits(i_.type, d, bits(i_.type, a)); });
                break;
            case Op::gather_mask:
                collect();
                break;
            case Op::vector_index:
                for (std::uint32_t n = 0; n < i_.count; ++n) {
                    put_bits(i_.type, i_.dst + n * size, i_.scalar + n);
                }
                break;
            default:
                transpose();
        }
    }

    /// Patterns: 1 the even elements, 2 the odd ones, 3 to 6 one of four, 7 all. With a number of elements
    /// per repeat (form counter) the rest of a repeat is left out.
    void collect() {
        const std::uint32_t size = size_of(i_.type);
        const std::uint32_t lanes = 256 / size;
        std::uint32_t taken = 0;
        for (std::uint32_t r = 0; r < i_.repeats; ++r) {
            const std::uint32_t n = i_.form == Form::counter ? i_.count : lanes;
            for (std::uint32_t lane = 0; lane < n; ++lane) {
                const std::uint32_t p = i_.mode;
                const bool takes = p == 7 || (p <= 2 ? lane % 2 == p - 1 : lane % 4 == p - 3);
                if (takes) {
                    put_bits(i_.type, i_.dst + taken++ * size, bits(i_.type, source(r, lane)));
                }
            }
        }
    }

    /// Per repeat 16 rows of 16 halves; row n of the result is column n.
    void transpose() {
        const Image before = image_;
        for (std::uint32_t r = 0; r < i_.repeats; ++r) {
            for (std::uint32_t row = 0; row < 16; ++row) {
                for (std::uint32_t column = 0; column < 16; ++column) {
                    const std::uint32_t from =
                        i_.a + column * 32 * i_.block_stride[1] + r * i_.repeat_stride[1] * 32 + row * 2;
                    const std::uint32_t to =
                        i_.dst + row * 32 * i_.block_stride[0] + r * i_.repeat_stride[0] * 32 + column * 2;
                    std::memcpy(&image_[to], &before[from], 2);
                }
            }
        }
    }
};

}  // namespace

Verdict follow_moves(const Instruction& instruction, Image& image) {
    return MoveInterpreter{instruction, image}.run();
}

}  // namespace fuzz
