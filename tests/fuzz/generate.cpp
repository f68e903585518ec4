// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/generate.hpp"

#include <algorithm>
#include <iterator>
#include <span>

namespace fuzz {
namespace {

constexpr std::uint32_t quarter = image_bytes / 4;

class Generator {
public:
    Generator(Image& image, Random& random) : image_{image}, random_{random} {}

    Instruction make() {
        for (;;) {
            i_ = Instruction{};
            i_.op = static_cast<Op>(below(static_cast<std::uint32_t>(Op::count)));
            if (legal()) {
                return i_;
            }
        }
    }

private:
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

    std::uint32_t between(std::uint32_t low, std::uint32_t high) { return low + below(high - low + 1); }

    Type pick(std::span<const Type> types) { return types[below(static_cast<std::uint32_t>(types.size()))]; }

    /// An aligned place, mostly where numbers of the type lie.
    std::uint32_t place(Type type) {
        const std::uint32_t home = type == Type::f32 ? 0 : type == Type::f16 ? 1 : size_of(type) == 4 ? 2 : 3;
        return (below(6) == 0 ? below(image_bytes) : home * quarter + below(quarter)) / 32 * 32;
    }

    /// A value of the type like those of the image.
    std::uint64_t value(Type type) {
        std::uint64_t raw = 0;
        std::memcpy(&raw,
                    &image_[(type == Type::f32    ? 0
                             : type == Type::f16  ? quarter
                             : size_of(type) == 4 ? 2 * quarter
                                                  : 3 * quarter) +
                            below(1000) * 4],
                    size_of(type));
        return raw;
    }

    struct Range {
        std::uint32_t begin;
        std::uint32_t end;
    };

    static bool apart(const Range& a, const Range& b) { return a.end <= b.begin || b.end <= a.begin; }

    static bool inside(const Range& a) { return a.end <= image_bytes; }

    /// What operand `o` touches, in whole blocks.
    [[nodiscard]] Range range(int o, Type type, std::uint32_t widest) const {
        const std::uint32_t begin = o == 0 ? i_.dst : o == 1 ? i_.a : i_.b;
        const std::uint32_t lanes = 256 / widest;
        if (i_.form == Form::count) {
            return {begin, begin + (i_.count * size_of(type) + 31) / 32 * 32};
        }
        const std::uint32_t repeats = i_.form == Form::counter ? (i_.count + lanes - 1) / lanes : i_.repeats;
        const std::uint32_t blocks = (lanes * size_of(type) + 31) / 32;
        return {begin,
                begin + 32 * ((repeats - 1) * i_.repeat_stride[o] + (blocks - 1) * i_.block_stride[o] + 1)};
    }

    bool legal() {
        if (i_.op <= Op::duplicate || i_.op == Op::cast) {
            return lane_wise();
        }
        if (i_.op <= Op::select_scalar) {
            return choice();
        }
        return i_.op <= Op::reduce_min ? reduction() : move();
    }

    void choose_types() {
        static constexpr Type floats[]{Type::f32, Type::f16};
        static constexpr Type numbers[]{Type::f32, Type::f16, Type::i32, Type::i16};
        static constexpr Type words[]{Type::i16, Type::u16};
        static constexpr Type shifted[]{Type::i16, Type::u16, Type::i32, Type::u32};
        static constexpr Type relus[]{Type::f32, Type::f16, Type::i32};
        static constexpr Type sums[]{Type::f32, Type::f16, Type::i16};
        static constexpr Type all[]{Type::f32, Type::f16, Type::i32, Type::i16, Type::u32, Type::u16};
        const Op op = i_.op;
        std::span<const Type> types = floats;
        if ((op >= Op::add && op <= Op::mul) || op == Op::max || op == Op::min ||
            (op >= Op::adds && op <= Op::mins)) {
            types = numbers;
        } else if (op == Op::bit_not || op == Op::bit_and || op == Op::bit_or) {
            types = words;
        } else if (op == Op::shift_left || op == Op::shift_right) {
            types = shifted;
        } else if (op == Op::relu) {
            types = relus;
        } else if (op == Op::add_relu || op == Op::sub_relu) {
            types = sums;
        } else if (op == Op::duplicate) {
            types = all;
        }
        i_.type = i_.from = pick(types);
        if (op == Op::axpy && i_.type == Type::f32 && below(2) == 0) {
            i_.from = Type::f16;
        }
        if (op == Op::cast) {
            choose_cast();
        }
    }

    /// The documented pairs and their modes: bit n is mode n.
    void choose_cast() {
        struct Pair {
            Type from;
            Type to;
            std::uint32_t modes;
        };

        constexpr std::uint32_t five = 0b0111110;
        constexpr std::uint32_t none = 1;
        static constexpr Pair pairs[]{{Type::f32, Type::f32, five},
                                      {Type::f32, Type::f16, five | none | 64},
                                      {Type::f32, Type::i32, five},
                                      {Type::f32, Type::i16, five},
                                      {Type::f16, Type::f32, none},
                                      {Type::f16, Type::i32, five},
                                      {Type::f16, Type::i16, five},
                                      {Type::f16, Type::i8, five | none},
                                      {Type::f16, Type::u8, five | none},
                                      {Type::i16, Type::f16, five | none},
                                      {Type::i16, Type::f32, none},
                                      {Type::i8, Type::f16, none},
                                      {Type::u8, Type::f16, none},
                                      {Type::i32, Type::f32, five | none},
                                      {Type::i32, Type::i16, none}};
        const Pair& pair = pairs[below(static_cast<std::uint32_t>(std::size(pairs)))];
        i_.from = pair.from;
        i_.type = pair.to;
        do {
            i_.mode = below(7);
        } while ((pair.modes >> i_.mode & 1U) == 0);
    }

    void choose_shape(std::uint32_t widest) {
        const std::uint32_t lanes = 256 / widest;
        i_.form = static_cast<Form>(below(5));
        const bool counts = i_.form == Form::count || i_.form == Form::counter;
        i_.count = counts ? between(1, 500) : between(1, lanes);
        i_.repeats = between(1, 6);
        for (std::uint64_t& word : i_.mask) {
            word = static_cast<std::uint64_t>(random_()) << 32U | random_();
            word = below(4) == 0 ? ~std::uint64_t{0} : word;
        }
        if (lanes == 64) {
            i_.mask[1] = 0;
        }
        i_.mask[0] |=
            i_.form == Form::bits || i_.form == Form::registers ? 1U : 0U;  // an empty mask is not legal
        const Type types[3]{i_.type, i_.from, i_.from};
        for (int o = 0; o < 3; ++o) {
            const std::uint32_t blocks = std::max(1U, lanes * size_of(types[o]) / 32);
            const bool target = o == 0;
            i_.block_stride[o] = below(2) == 0 ? 1 : between(target ? 1 : 0, 3);
            i_.repeat_stride[o] = below(2) == 0 ? blocks * std::max(1U, i_.block_stride[o])
                                                : between(target ? blocks * i_.block_stride[o] : 0, 24);
            if (target) {
                i_.repeat_stride[o] = std::max(i_.repeat_stride[o], blocks * i_.block_stride[o]);
            }
        }
    }

    bool lane_wise() {
        choose_types();
        const std::uint32_t widest = std::max(size_of(i_.type), size_of(i_.from));
        choose_shape(widest);
        i_.scalar = i_.op == Op::shift_left || i_.op == Op::shift_right ? below(8 * size_of(i_.type))
                                                                        : value(i_.from);
        i_.dst = place(i_.type);
        i_.a = place(i_.from);
        i_.b = place(i_.from);
        if (below(5) == 0 && size_of(i_.type) == size_of(i_.from)) {  // in place
            const int o = below(2) == 0 ? 1 : 2;
            (o == 1 ? i_.a : i_.b) = i_.dst;
            i_.block_stride[o] = i_.block_stride[0];
            i_.repeat_stride[o] = i_.repeat_stride[0];
        }
        const bool two = (i_.op >= Op::add && i_.op <= Op::sub_relu) || i_.op == Op::mul_add_dst ||
                         i_.op == Op::fused_mul_add;
        const int sources = i_.op == Op::duplicate ? 0 : two ? 2 : 1;
        const Range d = range(0, i_.type, widest);
        if (!inside(d)) {
            return false;
        }
        for (int o = 1; o <= sources; ++o) {
            const Range s = range(o, i_.from, widest);
            const bool equal = s.begin == d.begin && i_.block_stride[o] == i_.block_stride[0] &&
                               i_.repeat_stride[o] == i_.repeat_stride[0] &&
                               size_of(i_.from) == size_of(i_.type);
            if (!inside(s) || !(equal || apart(s, d))) {
                return false;
            }
        }
        return true;
    }

    bool choice() {
        i_.type = i_.from = below(2) == 0 ? Type::f32 : Type::f16;
        const std::uint32_t lanes = 256 / size_of(i_.type);
        i_.count = lanes * between(1, 5);
        i_.mode = below(6);
        i_.scalar = value(i_.type);
        const std::uint32_t bytes = i_.count * size_of(i_.type);
        const bool compares = i_.op <= Op::compare_scalar;
        i_.dst = place(i_.type);
        i_.a = place(i_.type);
        i_.b = place(compares ? i_.type : Type::i16);
        i_.mask[0] = place(i_.type);
        const Range d{i_.dst, i_.dst + (compares ? (i_.count / 8 + 31) / 32 * 32 : bytes)};
        const Range a{i_.a, i_.a + bytes};
        const Range b{i_.b, i_.b + (compares ? bytes : i_.count / 8)};
        const auto other = static_cast<std::uint32_t>(i_.mask[0]);
        const Range c{other, other + bytes};
        return inside(d) && inside(a) && inside(b) && inside(c) && apart(d, a) && apart(d, b) && apart(d, c);
    }

    bool reduction() {
        i_.type = i_.from = below(2) == 0 ? Type::f32 : Type::f16;
        const std::uint32_t size = size_of(i_.type);
        const std::uint32_t lanes = 256 / size;
        i_.dst = place(i_.type);
        i_.a = place(i_.type);
        i_.repeats = between(1, 6);
        i_.block_stride[1] = below(2) == 0 ? 1 : between(0, 3);
        i_.repeat_stride[1] = below(2) == 0 ? 8 : between(0, 24);
        if (i_.op >= Op::reduce_sum) {
            i_.count = between(1, 900);
            i_.b = place(i_.type);
            const Range a{i_.a, i_.a + (i_.count * size + 31) / 32 * 32};
            const Range d{i_.dst, i_.dst + 32};
            const Range work{i_.b, i_.b + 512};
            return inside(a) && inside(d) && inside(work) && apart(a, d) && apart(a, work) && apart(d, work);
        }
        const bool whole = i_.op <= Op::whole_min;
        i_.count = whole ? between(1, lanes) : lanes;
        i_.mode = whole && i_.op != Op::whole_sum ? below(4) : 0;
        i_.repeat_stride[0] = between(1, 3);
        const std::uint32_t unit = i_.op == Op::pair_sum ? 128
                                   : whole               ? (i_.op == Op::whole_sum || i_.mode == 2 ? size
                                                            : i_.mode == 3                         ? 4
                                                                                                   : 2 * size)
                                                         : 8 * size;
        const Range a{i_.a,
                      i_.a + 32 * ((i_.repeats - 1) * i_.repeat_stride[1] + 7 * i_.block_stride[1] + 1)};
        const Range d{i_.dst, i_.dst + i_.repeats * i_.repeat_stride[0] * unit};
        return inside(a) && inside(d) && apart(a, d);
    }

    bool move() {
        static constexpr Type words[]{Type::f32, Type::f16, Type::i32, Type::i16, Type::u32, Type::u16};
        static constexpr Type indexed[]{Type::i32, Type::i16};
        i_.type = i_.from = i_.op == Op::vector_index ? pick(indexed)
                            : i_.op == Op::transpose  ? Type::f16
                                                      : pick(words);
        const std::uint32_t size = size_of(i_.type);
        const std::uint32_t lanes = 256 / size;
        i_.dst = place(i_.type);
        i_.a = place(i_.type);
        i_.b = place(Type::i32);
        Range d{i_.dst, i_.dst};
        Range a{i_.a, i_.a};
        switch (i_.op) {
            case Op::gather:
                return gather();
            case Op::brcb:
                i_.repeats = between(1, 4);
                i_.block_stride[0] = between(1, 2);
                i_.repeat_stride[0] = between(8 * i_.block_stride[0], 24);
                d.end += 32 * ((i_.repeats - 1) * i_.repeat_stride[0] + 7 * i_.block_stride[0] + 1);
                a.end += 8 * i_.repeats * size;
                break;
            case Op::copy:
                choose_shape(size);
                i_.form = Form::lanes;
                i_.count = between(1, lanes);
                d = range(0, i_.type, size);
                a = range(1, i_.type, size);
                break;
            case Op::gather_mask:
                i_.form = below(2) == 0 ? Form::counter : Form::lanes;
                i_.mode = between(1, 7);
                i_.repeats = between(1, 6);
                i_.count = i_.form == Form::counter ? between(1, lanes) : 0;
                i_.block_stride[1] = between(1, 2);
                i_.repeat_stride[1] = between(0, 20);
                d.end += 256 * i_.repeats;
                a.end += 32 * ((i_.repeats - 1) * i_.repeat_stride[1] + 7 * i_.block_stride[1] + 1);
                break;
            case Op::vector_index:
                i_.count = between(1, 300);
                i_.scalar = below(1000);
                d.end += (i_.count * size + 31) / 32 * 32;
                break;
            default:
                i_.repeats = between(1, 3);
                i_.block_stride[0] = between(1, 4);
                i_.block_stride[1] = between(1, 4);
                i_.repeat_stride[0] = 16 * i_.block_stride[0];
                i_.repeat_stride[1] = between(1, 20);
                d.end += 32 * ((i_.repeats - 1) * i_.repeat_stride[0] + 15 * i_.block_stride[0] + 1);
                a.end += 32 * ((i_.repeats - 1) * i_.repeat_stride[1] + 15 * i_.block_stride[1] + 1);
        }
        return inside(d) && inside(a) && apart(d, a);
    }

    bool gather() {
        const std::uint32_t size = size_of(i_.type);
        i_.count = between(1, 200);
        const Range a{i_.a, i_.a + 1024};
        const Range d{i_.dst, i_.dst + (i_.count * size + 31) / 32 * 32};
        const Range offsets{i_.b, i_.b + (i_.count * 4 + 31) / 32 * 32};
        if (!inside(a) || !inside(d) || !inside(offsets) || !apart(a, d) || !apart(offsets, d) ||
            !apart(offsets, a)) {
            return false;
        }
        for (std::uint32_t n = 0; n < i_.count; ++n) {
            const std::uint32_t offset = below(1024 / size) * size;
            std::memcpy(&image_[i_.b + 4 * n], &offset, 4);
        }
        return true;
    }

    Image& image_;
    Random& random_;
    Instruction i_;
};

/// A number of any size: mostly small, sometimes of an odd exponent, rarely special.
double any_number(Random& random) {
    const auto uniform = static_cast<double>(random()) / 0x1p31 - 1.0;
    switch (random() % 16) {
        case 0:
            return std::ldexp(uniform, static_cast<int>(random() % 60) - 30);
        case 1:
            return static_cast<double>(static_cast<int>(random() % 41) - 20) / 2;  // halves of integers: ties
        case 2:
            return random() % 8 == 0 ? HUGE_VAL : random() % 2 == 0 ? -0.0 : 0.0;
        default:
            return uniform * 16;
    }
}

}  // namespace

void fill(Image& image, Random& random) {
    for (std::uint32_t at = 0; at < quarter; at += 4) {
        const auto single = static_cast<float>(any_number(random));
        std::memcpy(&image[at], &single, 4);
    }
    for (std::uint32_t at = quarter; at < 2 * quarter; at += 2) {
        const std::uint16_t half = encode_half(to_half(any_number(random)));
        std::memcpy(&image[at], &half, 2);
    }
    for (std::uint32_t at = 2 * quarter; at < 3 * quarter; at += 4) {
        const auto whole =
            static_cast<std::int32_t>(random() >> random() % 32) * (random() % 2 == 0 ? 1 : -1);
        std::memcpy(&image[at], &whole, 4);
    }
    for (std::uint32_t at = 3 * quarter; at < image_bytes; at += 4) {
        const auto word = static_cast<std::uint32_t>(random());
        std::memcpy(&image[at], &word, 4);
    }
}

Instruction generate(Image& image, Random& random) {
    return Generator{image, random}.make();
}

}  // namespace fuzz
