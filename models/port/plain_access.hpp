// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ascendsim::isa {

/// A load or store in a kernel's text whose pointer may lead into global memory or a core's own: it is made
/// by the compiler pass (toolchain/scalar_steps/watch_pointers.cpp), which writes these members by their
/// place. What is read or written one behind the other, or again and again, is one run of bytes, which is
/// told to who watches the core when anything else happens; within it the kernel's code asks nobody.
struct PlainSite {
    std::uint64_t begin = 0;   // host address of the first byte of the run
    std::uint64_t starts = 0;  // so many addresses from there on are known: the run's bytes, less bytes - 1
    std::uint64_t most = 0;    // to how many the run may grow
    std::uint64_t key = 0;     // of its accesses in PlainSeen, through `root`
    const void* root = nullptr;
    PlainSite* next = nullptr;
    const char* file = nullptr;
    std::uint32_t line = 0;
    std::uint32_t bytes = 0;  // of an access
    std::uint16_t write = 0;
    std::uint16_t align = 1;  // addresses are multiples of it
    std::uint16_t state = 0;  // PlainState
    std::uint8_t linked = 0;  // it is in the list of those to be closed
    std::uint8_t moves = 0;   // runs that it has begun since that list was empty
};

/// Accesses that were seen since the running core's runs were closed, so that the kernel's code need not ask
/// again where it goes hither and thither. An access of 1, 2, 4 or 8 bytes has one place in
/// ascendsim_plain_seen, by its address; there stands the address, and in the bits above it what else it was,
/// added as PlainSite::key. The kernel's code looks there itself.
struct PlainSeen {
    static constexpr std::uint64_t entries = 65536;
    static constexpr unsigned root_bit = 48;           // above an address: the number of the root
    static constexpr std::uint64_t most_roots = 4095;  // 0 is none
    static constexpr unsigned size_bit = 60;           // the logarithm of the bytes
    static constexpr unsigned write_bit = 63;          // it wrote: then it may be read, too
};

/// Tells the watcher of the running core what it has touched through plain pointers. Before anything that
/// comes after these accesses: an operation, another core's turn.
void close_plain_runs();

/// The first of the sites to be closed; null if there are none.
extern PlainSite* open_plain_sites;  // NOLINT: of the core whose program runs, see runtime/README.md

}  // namespace ascendsim::isa

extern "C" {

extern std::uint64_t ascendsim_plain_seen[ascendsim::isa::PlainSeen::entries];  // NOLINT: C linkage

/// The kernel is about to make the access of `site` at `pointer`, which it has computed from `root`, and
/// that lies in no run known to the site.
void ascendsim_plain_access(ascendsim::isa::PlainSite* site, const void* pointer, const void* root);

/// The same for `bytes` whose number is known when the kernel runs.
void ascendsim_plain_block(ascendsim::isa::PlainSite* site,
                           const void* pointer,
                           const void* root,
                           std::uint64_t bytes);

/// A function of the kernel, at `line` of `file`, has begun, whose local variables reach down to `end`.
void ascendsim_plain_frame(const void* end, const char* file, std::uint32_t line);

/// The kernel is about to make the access of `site` to `bytes` at byte `offset` of a variable of its own that
/// has `size` bytes, and which it leaves.
void ascendsim_array_access(const ascendsim::isa::PlainSite* site,
                            std::int64_t offset,
                            std::uint64_t bytes,
                            std::uint64_t size);

}  // extern "C"
