// SPDX-License-Identifier: Apache-2.0
#include "runtime/ranks/ranked_work.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "kernels/plan/npy.hpp"
#include "models/port/exchange_port.hpp"
#include "runtime/launches/plan_functions.hpp"
#include "runtime/ranks/ranked_collective.hpp"
#include "runtime/session/plan_launch.hpp"
#include "runtime/session/program/program_streams.hpp"
#include "runtime/session/tensors.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::runtime {
namespace {

using nlohmann::json;
using program::CallPlace;
using program::StreamNumber;

/// Each rank has a process of its own, which is ahead of its device: no call keeps a device waiting.
node::HostSpec host_ahead(node::HostSpec host) {
    host.launch_us = 0;
    host.sync_us = 0;
    return host;
}

class RankedWork final : public Work {
public:
    RankedWork(const RunRequest& request, const RankedRun& run, const toolchain::Installation& installation)
        : options_{request.options},
          chip_{request.chip},
          run_{run},
          devices_{request.chip},
          streams_{run.node, host_ahead(run.host), {}, devices_} {
        std::vector<const host::Plan*> plans;
        for (const RankedRun::Rank& rank : run.ranks) {
            functions_.push_back(std::make_unique<PlanFunctions>(rank.run, request.chip, installation));
            plans.push_back(&rank.run.plan);
        }
        for (const RankedCollective& one : run.collectives) {
            for (const host::Plan* plan : plans) {
                check_buffers(one, *plan, plans.size());
            }
            check_alike(one, plans);
        }
        streams_.set_memory_rate(chip_.hbm.gb_per_s * chip_.hbm.efficiency);
    }

    [[nodiscard]] std::vector<CodeRange> kernel_code() const override {
        std::vector<CodeRange> code;
        for (const auto& functions : functions_) {
            for (const std::string& file : functions->files()) {
                const std::vector<CodeRange> ranges = code_of(file);
                code.insert(code.end(), ranges.begin(), ranges.end());
            }
        }
        return code;
    }

    json begin(Session& session) override {
        session_ = &session;
        devices_.run_on(session.machines(), session.checker());
        streams_.serve_kernels(options_.functional, [this](std::uint64_t offset, std::uint64_t bytes) {
            note_written(offset, bytes);
        });
        for (const RankedRun::Rank& rank : run_.ranks) {
            const host::Plan& plan = rank.run.plan;
            tensors_.emplace_back(plan,
                                  session.machine().memory(),
                                  rank.seed,
                                  options_.functional,
                                  options_.sanitize ? options_.poison : std::nullopt);
            arguments_.emplace_back();
            for (const host::Launch& launch : plan.launches) {
                arguments_.back().emplace_back(launch, tensors_.back());
            }
            declare_contents(plan, tensors_.back());
        }
        return metadata();
    }

    void prepare() override {
        session_->progress().stage = "computing the reference";
        for (Tensors& tensors : tensors_) {
            tensors.compute_reference();
        }
        for (const RankedCollective& one : run_.collectives) {
            combine_references(one);
        }
        session_->progress().stage = "simulating";
    }

    void run(Session& session) override {
        open_group(session);
        const std::size_t launches = run_.ranks.front().run.plan.launches.size();
        for (std::size_t launch = 0; launch <= launches; ++launch) {
            for (const RankedCollective& one : run_.collectives) {
                if (one.after.value_or(launches) == launch && !one.by_kernel) {
                    exchange(one);
                }
            }
            for (std::size_t rank = 0; rank < run_.ranks.size() && launch < launches; ++rank) {
                start(session, rank, launch);
            }
        }
        for (std::size_t rank = 0; rank < run_.ranks.size(); ++rank) {
            streams_.synchronise(of_rank_[rank], {"synchronise", {run_.file.c_str(), 0}}, std::nullopt);
        }
        left_ = streams_.finish();
        if (!left_.empty()) {
            throw ProgramError{"{}", left_};
        }
    }

    [[nodiscard]] json executions(const MachineTotals& machine) const override {
        return json::array({{{"start", devices_.first_start()},
                             {"end", std::max(devices_.last_end(), machine.cycles)},
                             {"warm_up", false}}});
    }

    [[nodiscard]] double flops(const MachineTotals& /*machine*/) const override {
        double sum = 0;
        for (const RankedRun::Rank& rank : run_.ranks) {
            sum += rank.run.plan.work.flops();
        }
        return sum;
    }

    void judge(Session& session, SessionOutcome& outcome, json& totals) override {
        if (outcome.failure) {
            return;
        }
        session.progress().stage = "comparing";
        std::vector<host::Comparison> comparisons;
        for (std::size_t rank = 0; rank < tensors_.size(); ++rank) {
            for (host::Comparison& one : tensors_[rank].compare()) {
                one.output = fmt::format("{} of rank {}", one.output, rank);
                comparisons.push_back(std::move(one));
            }
        }
        totals["numerics"] = runtime::to_json(comparisons);
        const double ghz = session.chip().cores.clock_ghz;
        totals["program"] = {{"timeline", streams_.figures()}, {"axis", streams_.axis(ghz)}};
        session.add_metadata(streams_.recorded_metadata());
        streams_.record(session.recorder(), ghz, {run_.file});
        outcome.passed = totals["numerics"]["passed"] != false;  // null: nothing was compared
        write_outputs();
    }

private:
    void note_written(std::uint64_t offset, std::uint64_t bytes) {
        if (session_->checker() != nullptr) {
            session_->checker()->declare_written(offset, bytes);
        }
    }

    void declare_contents(const host::Plan& plan, const Tensors& tensors) {
        for (const host::Buffer& buffer : plan.buffers) {
            const bool input = buffer.role != host::Role::output && buffer.role != host::Role::workspace;
            if (session_->checker() != nullptr && !input) {
                session_->checker()->declare_unwritten(
                    session_->machine().memory().offset_of(tensors.address(buffer.name)), buffer.bytes());
            }
        }
    }

    /// Where the reference tells what a kernel makes of its inputs, the collective comes on top of it.
    void combine_references(const RankedCollective& what) {
        std::vector<std::vector<double>*> expected;
        for (std::size_t rank = 0; rank < tensors_.size(); ++rank) {
            const auto found = tensors_[rank].expected().find(what.receive);
            const bool kernels_own = !run_.ranks[rank].run.kernel.empty();
            if (kernels_own && found != tensors_[rank].expected().end()) {
                expected.push_back(&found->second);
            }
        }
        if (expected.size() == tensors_.size() && what.send == what.receive) {
            combine(what, expected);
        }
    }

    /// One communicator of all, which kernels find as their first.
    void open_group(Session& session) {
        const auto size = static_cast<std::uint32_t>(run_.ranks.size());
        group_ = streams_.create_group(size);
        isa::GlobalMemory& memory = session.machine().memory();
        for (std::uint32_t rank = 0; rank < size; ++rank) {
            const std::uint32_t device = run_.ranks[rank].device;
            streams_.join_group(group_, rank, device);
            of_rank_.push_back(streams_.create_stream(device, 0));
            std::byte* context =
                memory.allocate(fmt::format("context of rank {}", rank), isa::context_bytes, true);
            isa::fill_context(context, {rank, size});
            streams_.expose(group_, rank, size, context);
        }
        for (std::uint32_t rank = 0; rank < size; ++rank) {
            delay(rank);
        }
    }

    /// What holds a rank up is work of its device that nobody else sees.
    void delay(std::uint32_t rank) {
        const double us = run_.ranks[rank].delay_us;
        if (us > 0) {
            constexpr double bytes_per_us = 1e3;  // of 1 GB/s
            const std::uint32_t device = run_.ranks[rank].device;
            const double bytes = us * chip_.hbm.gb_per_s * chip_.hbm.efficiency * bytes_per_us;
            streams_.copy(of_rank_[rank],
                          {"delay", {run_.file.c_str(), 0}},
                          {.from = device, .to = device, .bytes = static_cast<std::uint64_t>(bytes)},
                          [] {});
        }
    }

    void start(Session& session, std::size_t rank, std::size_t index) {
        const RankedRun::Rank& of = run_.ranks[rank];
        Launch launch = machine_launch(
            session, of.run.plan.launches[index], functions_[rank]->of(index), arguments_[rank][index]);
        launch.argument_bytes = of.run.argument_bytes.value_or(launch.argument_bytes);
        const std::string& name = names_.emplace_back(launch.name);
        streams_.launch(of_rank_[rank], {name.c_str(), {run_.file.c_str(), 0}}, std::move(launch));
    }

    void exchange(const RankedCollective& what) {
        for (std::uint32_t rank = 0; rank < run_.ranks.size(); ++rank) {
            if (!what.only.empty() && std::ranges::find(what.only, rank) == what.only.end()) {
                continue;
            }
            const host::Plan& plan = run_.ranks[rank].run.plan;
            program::ExchangeCall call =
                exchange_of(what, plan, run_.ranks.size(), part_of(what, rank), options_.functional);
            call.effect = [this,
                           moves = std::move(call.effect)](std::span<const program::ExchangePart> parts) {
                moves(parts);
                for (const program::ExchangePart& part : parts) {
                    note_written(part.to_at, part.to_bytes);
                }
            };
            streams_.meet(group_,
                          rank,
                          of_rank_[rank],
                          {call_of(what.kind), {what.file.c_str(), what.line}},
                          std::move(call));
        }
    }

    [[nodiscard]] program::ExchangePart part_of(const RankedCollective& what, std::size_t rank) const {
        const auto bytes = [&](const std::string& name) {
            const std::vector<host::Buffer>& buffers = run_.ranks[rank].run.plan.buffers;
            return std::ranges::find(buffers, name, &host::Buffer::name)->bytes();
        };
        const isa::GlobalMemory& memory = session_->machine().memory();
        std::byte* from = tensors_[rank].address(what.send);
        std::byte* to = tensors_[rank].address(what.receive);
        return {.from = from,
                .from_at = memory.offset_of(from),
                .from_bytes = bytes(what.send),
                .to = to,
                .to_at = memory.offset_of(to),
                .to_bytes = bytes(what.receive)};
    }

    void write_outputs() const {
        for (std::size_t rank = 0; rank < run_.ranks.size() && options_.functional; ++rank) {
            const PlannedRun& of = run_.ranks[rank].run;
            for (const OutputFile& output : of.outputs) {
                const auto buffer = std::ranges::find(of.plan.buffers, output.buffer, &host::Buffer::name);
                if (buffer != of.plan.buffers.end()) {
                    host::write_npy(output.file, buffer->type, buffer->shape, tensors_[rank].bytes(*buffer));
                }
            }
        }
    }

    [[nodiscard]] json metadata() const {
        const host::Plan& plan = run_.ranks.front().run.plan;
        json launches = json::array();
        for (const host::Launch& launch : plan.launches) {
            launches.push_back({{"entry", launch.entry},
                                {"label", launch.label.empty() ? launch.entry : launch.label},
                                {"blocks", launch.blocks},
                                {"cores", name(launch.cores)}});
        }
        json buffers = json::array();
        for (std::size_t rank = 0; rank < tensors_.size(); ++rank) {
            for (json one : tensors_[rank].description()) {
                one["name"] = fmt::format("{} of rank {}", one["name"].get<std::string>(), rank);
                buffers.push_back(std::move(one));
            }
        }
        return {
            {"problem", fmt::format("{}, {} ranks of {}", plan.problem, run_.ranks.size(), run_.node.name)},
            {"work",
             {{"cube_flops", plan.work.cube_flops},
              {"cube_type", isa::name(plan.work.cube_type)},
              {"vector_flops", plan.work.vector_flops},
              {"vector_type", isa::name(plan.work.vector_type)},
              {"gm_bytes", plan.work.gm_bytes}}},
            {"buffers", std::move(buffers)},
            {"launches", std::move(launches)}};
    }

    const RunOptions& options_;
    const ChipSpec& chip_;
    const RankedRun& run_;
    ProgramDevices devices_;
    ProgramStreams streams_;
    std::vector<std::unique_ptr<PlanFunctions>> functions_;  // of each rank
    std::deque<Tensors> tensors_;
    std::deque<std::vector<PlanArguments>> arguments_;
    std::vector<StreamNumber> of_rank_;
    std::deque<std::string> names_;  // of launches, which calls point to
    program::GroupNumber group_{};
    Session* session_ = nullptr;  // from begin() on
    std::string left_;
};

}  // namespace

std::unique_ptr<Work> make_ranked_work(const RunRequest& request,
                                       const RankedRun& run,
                                       const toolchain::Installation& installation) {
    return std::make_unique<RankedWork>(request, run, installation);
}

}  // namespace ascendsim::runtime
