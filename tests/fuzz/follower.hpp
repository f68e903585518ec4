// SPDX-License-Identifier: Apache-2.0
// What the parts of the interpreter share: elements of the image, and which of them take part.
#pragma once

#include <algorithm>
#include <functional>

#include "tests/fuzz/interpret.hpp"

namespace fuzz {

class Follower {
public:
    Follower(const Instruction& instruction, Image& image) : i_{instruction}, image_{image} {
        verdict_.results = i_.type;
    }

protected:
    [[nodiscard]] std::uint64_t bits(Type type, std::uint32_t at) const {
        std::uint64_t value = 0;
        std::memcpy(&value, &image_[at], size_of(type));
        return value;
    }

    void put_bits(Type type, std::uint32_t at, std::uint64_t value) {
        std::memcpy(&image_[at], &value, size_of(type));
    }

    [[nodiscard]] static double number(Type type, std::uint64_t raw) {
        if (type == Type::f16) {
            return decode_half(static_cast<std::uint16_t>(raw));
        }
        if (type == Type::f32) {
            const auto word = static_cast<std::uint32_t>(raw);
            float value = 0;
            std::memcpy(&value, &word, 4);
            return value;
        }
        return static_cast<double>(wrap(type, static_cast<std::int64_t>(raw)));
    }

    [[nodiscard]] double load(Type type, std::uint32_t at) const { return number(type, bits(type, at)); }

    void store(Type type, std::uint32_t at, double value) {
        if (type == Type::f16) {
            put_bits(type, at, encode_half(value));
        } else {
            const auto single = static_cast<float>(value);
            std::uint32_t word = 0;
            std::memcpy(&word, &single, 4);
            put_bits(type, at, word);
        }
    }

    /// Calls f(dst, a, b) with the places of every element that takes part, in order.
    void each(std::uint32_t widest,
              const std::function<void(std::uint32_t, std::uint32_t, std::uint32_t)>& f) {
        const std::uint32_t lanes = 256 / widest;
        const bool flat = i_.form == Form::count;
        const bool counts = flat || i_.form == Form::counter;
        const std::uint32_t repeats = counts ? (i_.count + lanes - 1) / lanes : i_.repeats;
        const std::uint32_t sizes[3]{size_of(i_.type), size_of(i_.from), size_of(i_.from)};
        for (std::uint32_t r = 0; r < repeats; ++r) {
            for (std::uint32_t lane = 0; lane < lanes; ++lane) {
                const bool takes_part = counts ? r * lanes + lane < i_.count
                                        : i_.form == Form::lanes
                                            ? lane < i_.count
                                            : (i_.mask[lane / 64] >> lane % 64 & 1U) != 0;
                if (!takes_part) {
                    continue;
                }
                std::uint32_t place[3]{i_.dst, i_.a, i_.b};
                for (int o = 0; o < 3; ++o) {
                    const std::uint32_t per_block = 32 / sizes[o];
                    place[o] += flat
                                    ? (r * lanes + lane) * sizes[o]
                                    : 32 * (r * i_.repeat_stride[o] + lane / per_block * i_.block_stride[o]) +
                                          lane % per_block * sizes[o];
                }
                f(place[0], place[1], place[2]);
            }
        }
    }

    const Instruction& i_;
    Image& image_;
    Verdict verdict_;
};

/// Reductions and moves (interpret_moves.cpp).
Verdict follow_moves(const Instruction& instruction, Image& image);

}  // namespace fuzz
