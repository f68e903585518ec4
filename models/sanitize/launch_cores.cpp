// SPDX-License-Identifier: Apache-2.0
#include "models/sanitize/launch_cores.hpp"

#include <string_view>

#include <fmt/format.h>

namespace ascendsim::sanitize {
namespace {

std::string_view title_prefix(CoreKind kind) {
    return kind == CoreKind::aiv ? "aiv" : kind == CoreKind::aic ? "aic" : "core";
}

}  // namespace

void LaunchCores::start(std::span<const isa::LaunchCore> cores, bool placed) {
    clear();
    for (const isa::LaunchCore& core : cores) {
        const auto number = static_cast<std::uint16_t>(cores_.size());
        if (!placed) {
            number_of_[{core.kind, core.core}] = number;
        }
        cores_.push_back(std::make_unique<CoreState>());
        cores_.back()->number = number;
        cores_.back()->title = fmt::format("{}{}", title_prefix(core.kind), core.core);
    }
}

void LaunchCores::place(std::uint32_t member, const isa::CoreIdentity& core) {
    number_of_[{core.kind, core.core}] = static_cast<std::uint16_t>(member);
    cores_[member]->title = fmt::format("{}{}", title_prefix(core.kind), core.core);
}

void LaunchCores::clear() {
    cores_.clear();
    number_of_.clear();
    port_ = nullptr;
    running_ = nullptr;
}

CoreState* LaunchCores::find(const isa::CoreIdentity& identity) const {
    const auto found = number_of_.find({identity.kind, identity.core});
    return found == number_of_.end() ? nullptr : cores_[found->second].get();
}

Touch LaunchCores::touch_of(const CoreState& core, const isa::TimedOp& op) const {
    const bool cube = op.pipe == Pipe::cube || op.pipe == Pipe::fixpipe;
    return {.info = op.info,
            .site = port_ == nullptr ? op.site : port_->kernel_line(op.site),
            .issue = core.issued,
            .block = core.block,
            .core = core.number,
            .strand = static_cast<std::uint8_t>(op.pipe),
            .unit_flag = cube && op.a >= 2};
}

Touch LaunchCores::touch_of(const CoreState& core, const isa::OpInfo& info, Site site, Pipe pipe) {
    return {.info = &info,
            .site = site,
            .issue = core.next_issue(),
            .block = core.block,
            .core = core.number,
            .strand = static_cast<std::uint8_t>(pipe)};
}

}  // namespace ascendsim::sanitize
