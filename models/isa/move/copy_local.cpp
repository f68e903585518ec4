// SPDX-License-Identifier: Apache-2.0
#include "models/isa/move/copy_local.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "models/isa/move/copy_rows.hpp"
#include "models/isa/vector/elementwise.hpp"
#include "models/port/issue.hpp"
#include "sim/base/units.hpp"

namespace ascendsim::isa {

namespace {

/// Bytes per cycle between the unified buffer and L1; 0 on chips without that path.
std::uint32_t path_rate(const CopyLocal& copy, const CoupledSpec& coupled) {
    return copy.src.memory == Memory::l1 ? coupled.l1_ub_bytes_per_cycle : coupled.ub_l1_bytes_per_cycle;
}

}  // namespace

void CopyLocal::accesses(Accesses& list) const {
    list.read(rows_access(src.memory, src.offset, rows, row_bytes, src_pitch));
    list.write(rows_access(dst.memory, dst.offset, rows, row_bytes, dst_pitch));
}

void CopyLocal::time(const ChipSpec& chip, TimedOp& op) const {
    const std::uint32_t bytes = rows * row_bytes;
    if (src.memory == Memory::ub && dst.memory == Memory::ub) {
        const std::uint32_t repeats = rows * ceil_div(row_bytes, chip.vector.repeat_bytes);
        time_vector(chip.vector, chip.vector.simple, {.repeats = repeats}, op);
    } else {
        op.pipe = src.memory == Memory::l1 ? Pipe::mte1 : Pipe::mte3;
        op.occupies = chip.mte1.gap_cycles + ceil_div(bytes, std::max(1U, path_rate(*this, chip.coupled)));
        op.latency = chip.mte1.load2d_latency;
    }
    op.bytes = bytes;
    op.work = bytes;
    op.memory = dst.memory;
    op.offset = dst.offset;
}

void CopyLocal::execute(CorePort& core) const {
    for (std::uint32_t row = 0; row < rows; ++row) {
        std::memmove(core.at({dst.memory, dst.offset + row * dst_pitch}),
                     core.at({src.memory, src.offset + row * src_pitch}),
                     row_bytes);
    }
}

void copy_local(const CopyLocal& copy, Site site) {
    const Pipe pipe = pipe_of(copy, CorePort::current().chip());
    check_local(copy.dst, CopyLocal::info, site, pipe);
    check_local(copy.src, CopyLocal::info, site, pipe);
    const CorePort& core = CorePort::current();
    const bool within_ub = copy.src.memory == Memory::ub && copy.dst.memory == Memory::ub;
    const bool reaches = core.identity().kind == CoreKind::coupled;  // else the core lacks one of the two
    if (reaches && !within_ub && path_rate(copy, core.chip().coupled) == 0) {
        CorePort::current().fail(CopyLocal::info,
                                 site,
                                 fmt::format("chip {} has no path from {} to {}",
                                             core.chip().name,
                                             name(copy.src.memory),
                                             name(copy.dst.memory)),
                                 pipe);
    }
    issue(copy, site);
}

}  // namespace ascendsim::isa
