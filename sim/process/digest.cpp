// SPDX-License-Identifier: Apache-2.0
#include "sim/process/digest.hpp"

#include <array>
#include <cstdint>
#include <fstream>
#include <ios>

#include <fmt/format.h>

// The library is compiled into this file: nothing needs its shared form at run time.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ascendsim::process {

struct Digest::State {
    XXH3_state_t hash;
};

Digest::Digest() : state_{std::make_unique<State>()} {
    XXH3_128bits_reset(&state_->hash);
}

Digest::Digest(Digest&& other) noexcept = default;
Digest& Digest::operator=(Digest&& other) noexcept = default;
Digest::~Digest() = default;

void Digest::end(std::uint64_t size) {
    XXH3_128bits_update(&state_->hash, &size, sizeof size);
}

void Digest::add(std::string_view text) {
    XXH3_128bits_update(&state_->hash, text.data(), text.size());
    end(text.size());
}

void Digest::add_file(const std::filesystem::path& file) {
    constexpr std::size_t piece = 32UL << 10U;
    std::array<char, piece> text;  // not cleared: it is written before it is read
    std::ifstream content{file, std::ios::binary};
    std::uint64_t size = 0;
    do {
        content.read(text.data(), text.size());
        const auto got = static_cast<std::size_t>(content.gcount());
        XXH3_128bits_update(&state_->hash, text.data(), got);
        size += got;
    } while (content);
    end(size);
}

std::string Digest::hex() const {
    const XXH128_hash_t hash = XXH3_128bits_digest(&state_->hash);
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace ascendsim::process
