// SPDX-License-Identifier: Apache-2.0
#include "models/port/kernel_fault.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "models/port/buffer_capacity.hpp"
#include "models/port/buffer_news.hpp"
#include "models/port/core_port.hpp"

namespace ascendsim::isa {
namespace {

/// What a fault at `call`, a constant of the kernel framework's, names as its instruction. It outlives the
/// run, whose records name it; a core has one fault.
const OpInfo& call_info(std::string_view call) {
    return *std::make_unique<OpInfo>(OpInfo{call, "A call of the kernel framework."}).release();
}

constexpr OpInfo get_with_offset{"GetWithOffset", "Takes a part of a plain buffer."};

/// The same for calls that take memory, which may ask for too much as often as they like.
const OpInfo& capacity_info(std::string_view call) {
    static constexpr OpInfo calls[]{{"InitBuffer", "Takes memory for a queue or a plain buffer."},
                                    {"InitBufPool", "Takes memory for a pool."},
                                    {"Get", "Takes a plain buffer."},
                                    {"Alloc", "Takes memory for a tensor."}};
    const auto* const found = std::ranges::find(calls, call, &OpInfo::name);
    return found != std::end(calls) ? *found : call == get_with_offset.name ? get_with_offset : calls[0];
}

constexpr std::string_view position_names[]{"GM",
                                            "A1",
                                            "A2",
                                            "B1",
                                            "B2",
                                            "C1",
                                            "C2",
                                            "CO1",
                                            "CO2",
                                            "VECIN",
                                            "VECOUT",
                                            "VECCALC",
                                            "SPM",
                                            "TSCM",
                                            "C2PIPE2GM",
                                            "C2PIPE2LOCAL"};

}  // namespace

std::string_view position_name(std::uint8_t position) {
    return position < std::size(position_names) ? position_names[position] : "?";
}

void kernel_fault(std::string_view call, std::string_view message, Site site) {
    CorePort::current().fail(call_info(call), site, message);
    __builtin_unreachable();
}

void beyond_capacity(std::string_view call,
                     Memory memory,
                     std::uint8_t position,
                     std::uint64_t requested,
                     std::uint64_t used,
                     std::uint64_t capacity,
                     Site site) {
    const std::string what =
        fmt::format("position {} ({}): {} bytes requested", position_name(position), name(memory), requested);
    const std::uint64_t whole = buffer_capacity(memory);
    CorePort::current().note_oversized(
        capacity_info(call),
        site,
        requested > whole ? fmt::format("{}, which can never fit: {} has {} bytes ({} KiB) in all",
                                        what,
                                        name(memory),
                                        whole,
                                        whole / 1024)
        : call == get_with_offset.name
            ? fmt::format("{} from byte {} on of a buffer of {} bytes", what, used, capacity)
            : fmt::format("{}, {} of {} bytes are in use", what, used, capacity));
}

void taken_again(Site site) {
    static constexpr OpInfo info{"DeQue", "Takes a tensor out of a queue."};
    CorePort::current().tell_beyond(info, site, "the queue is empty; EnQue comes first", Pipe::scalar);
}

void not_implemented(std::string_view call, Site site) {
    CorePort::current().fail(call_info(call), site, "documented, but not implemented here yet");
    __builtin_unreachable();
}

void note_rounded(Memory from, Memory to, std::uint64_t asked, std::uint64_t moved, Site site) {
    CorePort& core = CorePort::current();
    if (AccessObserver* observer = core.observer()) {
        const Pipe pipe = from == Memory::gm   ? Pipe::mte2
                          : to == Memory::gm   ? Pipe::mte3
                          : from == Memory::l1 ? Pipe::mte1
                          : to == Memory::ub   ? Pipe::vector
                                               : Pipe::mte3;
        observer->on_rounded(core.kernel_line(site), pipe, asked, moved);
    }
}

std::uint32_t buffer_capacity(Memory memory) {
    return buffer_capacity(CorePort::current().chip().buffers, memory);
}

}  // namespace ascendsim::isa
