// SPDX-License-Identifier: Apache-2.0
// A plain interpreter of the vector API, written from its documentation: loops over elements, double
// precision.
#include "tests/fuzz/interpret.hpp"

#include <vector>

#include "tests/fuzz/follower.hpp"

namespace fuzz {
namespace {

/// Functions of lanes, conversions, comparisons.
class Interpreter : private Follower {
public:
    using Follower::Follower;

    Verdict run() {
        if (i_.op <= Op::duplicate || i_.op == Op::cast) {
            lanes();
        } else {
            choices();
        }
        return verdict_;
    }

private:
    double unary(double x) {
        switch (i_.op) {
            case Op::abs:
                return std::fabs(x);
            case Op::exp:
                verdict_.ulps = 1;
                return std::exp(x);
            case Op::ln:
                verdict_.ulps = 1;
                return std::log(x);
            case Op::sqrt:
                return std::sqrt(x);
            case Op::rsqrt:
                verdict_.ulps = 1;
                return 1 / std::sqrt(x);
            case Op::reciprocal:
                return 1 / x;
            default:
                verdict_.defined &= !std::isnan(x);
                return x > 0 ? x : 0.0;  // relu
        }
    }

    double binary(double x, double y, double before) {
        const double least =
            i_.op == Op::max || i_.op == Op::min || i_.op == Op::maxs || i_.op == Op::mins ? 1 : 0;
        if (least > 0) {
            verdict_.defined &= !std::isnan(x) && !std::isnan(y);
        }
        switch (i_.op) {
            case Op::add:
            case Op::adds:
                return x + y;
            case Op::sub:
                return x - y;
            case Op::mul:
            case Op::muls:
                return x * y;
            case Op::div:
                return x / y;
            case Op::max:
            case Op::maxs:
                return x > y ? x : y;
            case Op::min:
            case Op::mins:
                return x < y ? x : y;
            case Op::add_relu:
            case Op::sub_relu: {
                const double sum = to_type(i_.type, i_.op == Op::add_relu ? x + y : x - y);
                verdict_.defined &= !std::isnan(sum);
                return sum > 0 ? sum : 0.0;
            }
            case Op::leaky_relu:
                verdict_.defined &= !std::isnan(x);
                return x >= 0 ? x : x * y;
            // The product is rounded to the type of the result before the sum.
            case Op::axpy:
            case Op::mul_add_dst:
                return to_single(to_type(i_.type, x * y) + before);
            default:
                return to_single(to_type(i_.type, x * before) + y);  // fused_mul_add
        }
    }

    std::int64_t whole(std::int64_t x, std::int64_t y) {
        const auto bits_of_type = static_cast<std::uint64_t>(wrap(i_.type == Type::i32   ? Type::u32
                                                                  : i_.type == Type::i16 ? Type::u16
                                                                                         : i_.type,
                                                                  x));
        switch (i_.op) {
            case Op::add:
            case Op::adds:
                return x + y;
            case Op::sub:
                return x - y;
            case Op::mul:
            case Op::muls:
                return x * y;
            case Op::max:
            case Op::maxs:
                return std::max(x, y);
            case Op::min:
            case Op::mins:
                return std::min(x, y);
            case Op::bit_and:
                return x & y;
            case Op::bit_or:
                return x | y;
            case Op::bit_not:
                return ~x;
            case Op::relu:
                return std::max<std::int64_t>(x, 0);
            case Op::add_relu:
                return std::max<std::int64_t>(wrap(i_.type, x + y), 0);
            case Op::sub_relu:
                return std::max<std::int64_t>(wrap(i_.type, x - y), 0);
            case Op::shift_left:
                return static_cast<std::int64_t>(bits_of_type << static_cast<unsigned>(y));
            default:
                return x >> y;  // shift_right: of signed types arithmetic
        }
    }

    void lanes() {
        if (i_.op == Op::cast) {
            each(std::max(size_of(i_.type), size_of(i_.from)), [&](auto d, auto a, auto) { convert(d, a); });
            return;
        }
        const bool scalar = (i_.op >= Op::adds && i_.op <= Op::shift_right) || i_.op == Op::axpy;
        const bool one_source = i_.op <= Op::bit_not;
        each(std::max(size_of(i_.type), size_of(i_.from)), [&](auto d, auto a, auto b) {
            if (i_.op == Op::duplicate) {
                put_bits(i_.type, d, i_.scalar);
            } else if (is_float(i_.type)) {
                const double x = load(i_.from, a);
                const double y = one_source ? 0 : scalar ? number(i_.from, i_.scalar) : load(i_.from, b);
                const double result = one_source ? unary(x) : binary(x, y, load(i_.type, d));
                store(i_.type, d, to_type(i_.type, result));
            } else {
                const std::int64_t x = wrap(i_.type, static_cast<std::int64_t>(bits(i_.type, a)));
                const std::int64_t y =
                    wrap(i_.type, static_cast<std::int64_t>(scalar ? i_.scalar : bits(i_.type, b)));
                put_bits(i_.type, d, static_cast<std::uint64_t>(whole(x, y)));
            }
        });
    }

    void convert(std::uint32_t d, std::uint32_t a) {
        const auto mode = static_cast<Round>(i_.mode);
        const double x = load(i_.from, a);
        if (i_.type == Type::f16) {
            store(i_.type, d, to_half(x, mode));
        } else if (i_.type == Type::f32 && i_.from == Type::f32) {  // to whole numbers
            const bool finite = std::isfinite(x);
            store(i_.type, d, finite ? std::copysign(round_quanta(std::fabs(x), x < 0, mode), x) : x);
        } else if (i_.type == Type::f32) {
            store(i_.type, d, to_single(x, mode));
        } else {
            put_bits(i_.type, d, static_cast<std::uint64_t>(to_integer(i_.type, x, mode)));
        }
    }

    void choices() {
        const std::uint32_t size = size_of(i_.type);
        const bool compares = i_.op == Op::compare || i_.op == Op::compare_scalar;
        std::vector<std::uint8_t> packed(i_.count / 8 + 1);
        for (std::uint32_t n = 0; n < i_.count; ++n) {
            const double x = load(i_.type, i_.a + n * size);
            if (compares) {
                const double y =
                    i_.op == Op::compare ? load(i_.type, i_.b + n * size) : number(i_.type, i_.scalar);
                verdict_.defined &= !std::isnan(x) && !std::isnan(y);
                const bool table[]{x<y, x> y, x == y, x <= y, x >= y, x != y};
                packed[n / 8] =
                    static_cast<std::uint8_t>(packed[n / 8] | (table[i_.mode] ? 1U << n % 8 : 0U));
            } else {
                const bool first = (image_[i_.b + n / 8] >> n % 8 & 1U) != 0;
                const std::uint64_t other =
                    i_.op == Op::select_scalar
                        ? i_.scalar
                        : bits(i_.type, static_cast<std::uint32_t>(i_.mask[0]) + n * size);
                put_bits(i_.type, i_.dst + n * size, first ? bits(i_.type, i_.a + n * size) : other);
            }
        }
        if (compares) {
            verdict_.results = Type::u8;
            std::copy_n(packed.begin(), i_.count / 8, image_.begin() + i_.dst);
        }
    }
};

}  // namespace

Verdict interpret(const Instruction& instruction, Image& image) {
    const bool lane_wise = instruction.op <= Op::select_scalar;
    return lane_wise ? Interpreter{instruction, image}.run() : follow_moves(instruction, image);
}

}  // namespace fuzz
