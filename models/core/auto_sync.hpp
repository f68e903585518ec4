// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "models/core/recent_ranges.hpp"
#include "models/core/touched_bytes.hpp"
#include "models/port/core_port.hpp"

namespace ascendsim {

/// Inserts the synchronisation that the vendor's compiler inserts with --cce-auto-sync, one for each core:
///
///   kernel --> instruction --> AutoSync: does it depend on an earlier one that nothing orders yet?
///                                 | yes: auto_barrier, or auto_set_flag and auto_wait_flag, come first
///                                 v
///                           the hazard checker, if there is one; the core's timeline
///
/// Which pairs of pipes: BiSheng Compiler guide, Automatic Synchronization (atlas_bisheng_10_0008), and the
/// table of pipes in the documentation of asc-devkit 9.1, Automatic Synchronization Overview. They are V with
/// itself (a barrier), and S with V, MTE2 and MTE3, both ways (flags). MTE2, V and MTE3 among each other are
/// left to queues, everything on cube cores to the kernel.
///
/// Assumed, as the compiler is not public: it inserts where two instructions touch the same bytes of UB and
/// one writes, and where the scalar unit reads global memory that MTE3 writes; every pair of pipes for
/// itself, whatever other pairs imply (as in the example of the same page); in front of the dependent
/// instruction. A flag or barrier of the kernel's own between the same two pipes serves as well.
class AutoSync final : public isa::AccessObserver {
public:
    /// `next` sees what happens, inserted synchronisation too; null if nobody does.
    explicit AutoSync(isa::AccessObserver* next) : next_{next} {}

    /// Flags and barriers of kernels that stand where the compiler would have inserted one: by the
    /// documentation both are executed; here only the kernel's.
    [[nodiscard]] std::uint64_t repeated() const { return repeated_; }

    void forget_repeated() { repeated_ = 0; }

    void on_issue(const isa::TimedOp& op, const isa::Accesses& accesses) override;
    void on_begin() override;
    void on_end() override;
    void on_launch(std::span<const isa::LaunchCore> cores) override;
    void on_buffer(isa::BufferNotice notice, const isa::Access& range, Site site) override;
    void on_clean(std::uint64_t offset, bool whole) override;
    void on_fault(const isa::OpInfo& info, Site site, std::string_view message, Pipe pipe) override;
    void on_beyond(const isa::OpInfo& info, Site site, std::string_view message, Pipe pipe) override;
    void on_rounded(Site site, Pipe pipe, std::uint64_t asked, std::uint64_t moved) override;
    isa::PlainRange plain_range(const isa::OpInfo& info,
                                const isa::Access& access,
                                std::optional<std::uint64_t> root,
                                Site site) override;
    void on_plain(const isa::OpInfo& info, const isa::Access& access, Site site) override;

private:
    /// The pipes concerned.
    enum Unit : std::uint8_t { scalar, vector, mte2, mte3 };

    static constexpr std::size_t unit_count = 4;

    /// What one unit did.
    struct History {
        TouchedBytes reads;
        TouchedBytes writes;
        RecentRanges global_reads;
        RecentRanges global_writes;
    };

    /// A pair of units: what of the first one the second knows to be complete.
    struct Order {
        std::uint32_t inserted = 0;  // by what was inserted alone
        std::uint32_t known = 0;     // by the kernel's own synchronisation, too
        std::vector<std::pair<std::uint32_t, std::uint32_t>> raised;  // flags that are up: id, operation
    };

    /// What one pair needs before the instruction at hand.
    struct Need {
        Unit source = scalar;
        Unit destination = scalar;
        bool spare = true;  // the chip keeps this order without it
    };

    [[nodiscard]] static std::optional<Unit> unit_of(Pipe pipe);
    [[nodiscard]] static bool is_pair(Unit source, Unit destination);
    [[nodiscard]] static bool works(const isa::TimedOp& op);
    [[nodiscard]] static bool counts(Unit unit, const isa::Access& access);
    void follow(const isa::TimedOp& op);
    void order(const isa::TimedOp& op, const isa::Accesses& accesses, Unit unit);
    [[nodiscard]] std::optional<Need> need_of(Unit source, Unit destination, const isa::Accesses& accesses);
    [[nodiscard]] bool conflicts(const History& earlier,
                                 const isa::Access& access,
                                 bool writes,
                                 std::uint32_t known) const;
    void insert(const Need& need, Site site);
    void push(const isa::TimedOp& op);
    void remember(Unit unit, const isa::Accesses& accesses);
    void complete_all();
    void settle();

    [[nodiscard]] Order& order_of(Unit source, Unit destination) {
        return orders_[source * unit_count + destination];
    }

    isa::AccessObserver* next_;
    std::array<History, unit_count> histories_;
    std::array<Order, unit_count * unit_count> orders_;
    std::array<std::uint32_t, unit_count> last_{};  // operation of each unit
    std::uint32_t number_ = 0;                      // of the last operation that touched something
    Site site_;                                     // of the last operation that has one
    std::uint64_t repeated_ = 0;
    bool by_pointer_ = false;  // the next operation takes plain pointers
};

}  // namespace ascendsim
