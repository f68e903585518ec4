// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/campaign.hpp"

#include <algorithm>
#include <exception>

#include "models/port/testing/plain_core.hpp"
#include "tests/fuzz/generate.hpp"

namespace fuzz {
namespace {

double element(Type type, const Image& image, std::uint32_t at) {
    if (type == Type::f16) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, &image[at], 2);
        return decode_half(bits);
    }
    float value = 0;
    std::memcpy(&value, &image[at], 4);
    return value;
}

/// Units in the last place between two numbers of a type, through their order as integers.
std::uint64_t ulps_between(Type type, const Image& a, const Image& b, std::uint32_t at) {
    const auto order = [&](const Image& image) -> std::int64_t {
        if (type == Type::f16) {
            std::int16_t bits = 0;
            std::memcpy(&bits, &image[at], 2);
            return bits < 0 ? -static_cast<std::int64_t>(bits & 0x7fff) : bits;
        }
        std::int32_t bits = 0;
        std::memcpy(&bits, &image[at], 4);
        return bits < 0 ? -static_cast<std::int64_t>(bits & 0x7fffffff) : bits;
    };
    const std::int64_t distance = order(a) - order(b);
    return static_cast<std::uint64_t>(distance < 0 ? -distance : distance);
}

/// The first place where the images differ beyond what the verdict allows; image_bytes if there is none.
std::uint32_t difference(const Image& want, const Image& got, const Verdict& verdict) {
    const std::uint32_t size = size_of(verdict.results);
    for (std::uint32_t at = 0; at < image_bytes; at += size) {
        if (std::equal(&want[at], &want[at] + size, &got[at])) {
            continue;
        }
        if (is_float(verdict.results)) {
            const bool both_nan = std::isnan(element(verdict.results, want, at)) &&
                                  std::isnan(element(verdict.results, got, at));
            if (both_nan || ulps_between(verdict.results, want, got, at) <= verdict.ulps) {
                continue;
            }
        }
        return at;
    }
    return image_bytes;
}

/// Only the first result counts, and for extremes its index.
std::uint32_t first_difference(const Instruction& i,
                               const Image& want,
                               const Image& got,
                               const Verdict& verdict) {
    if (i.op == Op::reduce_sum) {
        const double distance = std::fabs(element(i.type, want, i.dst) - element(i.type, got, i.dst));
        return distance <= verdict.slack ? image_bytes : i.dst;
    }
    const std::uint32_t bytes = 2 * size_of(i.type);
    return std::equal(&want[i.dst], &want[i.dst] + bytes, &got[i.dst]) ? image_bytes : i.dst;
}

std::string describe(const Instruction& i) {
    std::string text =
        "op " + std::to_string(static_cast<int>(i.op)) + " type " + std::to_string(static_cast<int>(i.type)) +
        " from " + std::to_string(static_cast<int>(i.from)) + " form " +
        std::to_string(static_cast<int>(i.form)) + " count " + std::to_string(i.count) + " repeats " +
        std::to_string(i.repeats) + " mode " + std::to_string(i.mode) + " dst " + std::to_string(i.dst) +
        " a " + std::to_string(i.a) + " b " + std::to_string(i.b) + " strides";
    for (int o = 0; o < 3; ++o) {
        text += ' ' + std::to_string(i.block_stride[o]) + '/' + std::to_string(i.repeat_stride[o]);
    }
    return text + " scalar " + std::to_string(i.scalar) + " mask " + std::to_string(i.mask[0]) + ' ' +
           std::to_string(i.mask[1]);
}

class Campaign {
public:
    Campaign(std::uint32_t seed, const Tamper& tamper) : seed_{seed}, tamper_{tamper} {}

    Outcome run(std::uint64_t programs) {
        for (; outcome_.programs < programs && outcome_.differences.size() < 10; ++outcome_.programs) {
            // A seed of its own, so that any program can be repeated alone.
            random_.seed(seed_ + static_cast<std::uint32_t>(outcome_.programs));
            program();
        }
        return outcome_;
    }

private:
    void program() {
        fill(image_, random_);
        const std::uint32_t length = 1 + static_cast<std::uint32_t>(random_() % 10);
        for (std::uint32_t n = 0; n < length; ++n) {
            const Instruction i = generate(image_, random_);
            std::copy(image_.begin(), image_.end(), buffer());
            try {
                fuzz_execute(&i);
            } catch (const std::exception& error) {
                report(i, std::string{"stopped: "} + error.what());
                return;
            }
            check(i);
        }
        if (++since_drain_ == 64) {
            static_cast<void>(core_.ops());
            since_drain_ = 0;
        }
    }

    void check(const Instruction& i) {
        ++outcome_.instructions;
        const Image before = image_;
        const Verdict verdict = interpret(i, image_);
        Image got;
        std::copy(buffer(), buffer() + image_bytes, got.begin());
        if (tamper_) {
            tamper_(i, got);
        }
        if (!verdict.defined) {
            ++outcome_.unchecked;
        } else {
            ++outcome_.checked[static_cast<std::size_t>(i.op)];
            const std::uint32_t at = verdict.only_first ? first_difference(i, image_, got, verdict)
                                                        : difference(image_, got, verdict);
            if (at < image_bytes) {
                const auto hex = [&](const Image& image) {
                    std::uint32_t word = 0;
                    std::memcpy(&word, &image[at / 4 * 4], 4);
                    return std::to_string(word);
                };
                report(i,
                       "at " + std::to_string(at) + " interpreter " + hex(image_) + " headers " + hex(got) +
                           " before " + hex(before));
            }
        }
        image_ = got;
    }

    void report(const Instruction& i, const std::string& what) {
        outcome_.differences.push_back("seed " +
                                       std::to_string(seed_ + static_cast<std::uint32_t>(outcome_.programs)) +
                                       ": " + describe(i) + ": " + what);
    }

    std::uint8_t* buffer() { return reinterpret_cast<std::uint8_t*>(core_.at({ascendsim::Memory::ub, 0})); }

    std::uint32_t seed_;
    const Tamper& tamper_;
    std::uint32_t since_drain_ = 0;
    Random random_;
    Image image_{};
    Outcome outcome_;
    ascendsim::ChipSpec chip_;
    ascendsim::isa::GlobalMemory memory_{1U << 20U};
    ascendsim::isa::PlainCore core_{chip_, memory_, ascendsim::CoreKind::aiv};
};

}  // namespace

Outcome run_campaign(std::uint64_t programs, std::uint32_t seed, const Tamper& tamper) {
    return Campaign{seed, tamper}.run(programs);
}

}  // namespace fuzz
