// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace ascendsim::process {

/// FNV-1a, twice as wide by running two streams: names what the caches hold.
class Digest {
public:
    void add(std::string_view text) {
        for (const char letter : text) {
            a_ = (a_ ^ static_cast<unsigned char>(letter)) * 0x100000001B3U;
            b_ = (b_ ^ static_cast<unsigned char>(letter)) * 0x9E3779B97F4A7C15U;
        }
        a_ ^= text.size();
        b_ += text.size();
    }

    [[nodiscard]] std::string hex() const { return fmt::format("{:016x}{:016x}", a_, b_); }

private:
    std::uint64_t a_ = 0xCBF29CE484222325U;
    std::uint64_t b_ = 0x6C62272E07BB0142U;
};

}  // namespace ascendsim::process
