// SPDX-License-Identifier: Apache-2.0
// What is said without being an error: copies of fewer bytes than asked, outputs that nobody wrote.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/sanitize/checker.hpp"

namespace ascendsim::sanitize {

bool Checker::unwritten(std::uint64_t offset, std::uint64_t bytes) const {
    bool none = true;
    global_.visit(offset, offset + bytes, [&none](const Bytes& state, std::uint64_t, std::uint64_t) {
        none = none && !state.written;
    });
    return none;
}

void Checker::on_rounded(Site site, Pipe pipe, std::uint64_t asked, std::uint64_t moved) {
    static constexpr isa::OpInfo info{"DataCopy", "Copies whole blocks of 32 bytes."};
    const CoreState& core = enter();
    const Touch touch = touch_of(core, info, site, pipe);
    if (Finding* finding = report(Kind::rounded_count, Memory::gm, touch, nullptr, 0, 0)) {
        finding->message =
            moved == 0
                ? fmt::format("DataCopy of {} bytes moves nothing: it copies whole blocks of 32", asked)
                : fmt::format("DataCopy of {} bytes moves {}: it copies whole blocks of 32", asked, moved);
        finding->hint =
            "Copy the rest with DataCopyPad, or pad the tensor; if the rest is meant to stay, all is well.";
    }
}

Touch Checker::touch_of(const CoreState& core, const isa::OpInfo& info, Site site, Pipe pipe) {
    return {.info = &info,
            .site = site,
            .issue = core.next_issue(),
            .block = core.block,
            .core = core.number,
            .strand = static_cast<std::uint8_t>(pipe)};
}

/// Buffers lie one behind the other: what runs far over the end of one is found in the next.
std::string Checker::neighbour_hint(const isa::GlobalBuffer& buffer) const {
    constexpr std::size_t most = 3;
    std::vector<std::string> before;  // the nearest first
    std::uint64_t from = 0;
    for (const isa::GlobalBuffer& other : memory_->buffers()) {
        if (other.offset < buffer.offset) {
            before.insert(before.begin(), fmt::format("'{}'", other.name));
            from = other.bytes;
        }
    }
    if (before.empty()) {
        return {};
    }
    if (before.size() == 1) {
        return fmt::format(
            " If '{}' is not meant: it lies behind {} in memory, whose {} bytes may be overrun.",
            buffer.name,
            before.front(),
            from);
    }
    before.resize(std::min(before.size(), most));
    return fmt::format(" If '{}' is not meant: it lies behind {} in memory, one of which may be overrun.",
                       buffer.name,
                       fmt::join(before, " and "));
}

std::string Checker::neighbour_hint(std::string_view message) const {
    const auto named = [message](const isa::GlobalBuffer& buffer) {
        return message.find(fmt::format("global-memory buffer '{}'", buffer.name)) != std::string_view::npos;
    };
    const std::vector<isa::GlobalBuffer>& all = memory_->buffers();
    const auto found = std::ranges::find_if(all, named);
    return found == all.end() ? std::string{} : neighbour_hint(*found);
}

/// Cross-core flags that this core could take and does not ask for: one of them may be the one that was
/// meant.
std::string Checker::flags_up(const CoreState& core) const {
    std::string text;
    for (std::uint32_t id = 0; id < chip_.sync.cross_flag_ids; ++id) {
        if (const Touch* set = cross_->raised(core.number, 0, id) == 0 ? nullptr : cross_set_of(core, id)) {
            text += fmt::format(
                " Flag {} is up and nobody waits for it: {}:{} sets it.", id, set->site.file, set->site.line);
        }
    }
    return text;
}

void Checker::note_unwritten(const std::string& name, std::uint64_t bytes, const std::string& reason) {
    Finding finding{
        .kind = Kind::never_written,
        .later = {.access = "write", .buffer = name, .bytes = bytes},
        .message = fmt::format("output '{}' was never written: its {} bytes are as they were", name, bytes),
        .hint = reason.empty() ? "Does the kernel copy to another argument, or does no block reach the copy?"
                               : reason};
    collector_.add(std::move(finding));
}

}  // namespace ascendsim::sanitize
