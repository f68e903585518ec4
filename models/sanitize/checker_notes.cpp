// SPDX-License-Identifier: Apache-2.0
// What is said without being an error: copies of fewer bytes than asked, outputs that nobody wrote.
#include <fmt/format.h>

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
            moved == 0 ? fmt::format("DataCopy of {} bytes moves nothing: it copies whole blocks of 32", asked)
                       : fmt::format("DataCopy of {} bytes moves {}: it copies whole blocks of 32", asked, moved);
        finding->hint = "Copy the rest with DataCopyPad, or pad the tensor; if the rest is meant to stay, all is well.";
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

void Checker::note_unwritten(const std::string& name, std::uint64_t bytes) {
    Finding finding{.kind = Kind::never_written,
                    .later = {.access = "write", .buffer = name, .bytes = bytes},
                    .message = fmt::format("output '{}' was never written: its {} bytes are as they were", name, bytes),
                    .hint = "Does the kernel copy to another argument, or does no block reach the copy?"};
    collector_.add(std::move(finding));
}

}  // namespace ascendsim::sanitize
