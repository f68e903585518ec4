// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/program/program_operators.hpp"

#include <cstring>
#include <deque>
#include <set>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/port/global_memory.hpp"
#include "runtime/launches/plan_functions.hpp"
#include "runtime/session/plan_launch.hpp"
#include "runtime/session/program/program_views.hpp"
#include "sim/base/error.hpp"
#include "sim/process/sandbox.hpp"

namespace ascendsim::runtime {

using nlohmann::json;
using program::CallArgument;
using program::CallPlace;
using program::CallTensor;
using program::CopyRequest;
using program::StreamNumber;

/// What an ask came to, without addresses of the program's.
struct TiledOperator {
    OperatorRun what;
    std::unique_ptr<PlanFunctions> functions;

    [[nodiscard]] const host::Buffer& buffer(const std::string& name) const {
        for (const host::Buffer& one : what.run.plan.buffers) {
            if (one.name == name) {
                return one;
            }
        }
        throw InternalError{fmt::format("an operator's plan has no buffer '{}'", name)};
    }

    /// B.
    [[nodiscard]] std::uint64_t workspace() const {
        std::uint64_t bytes = 0;
        for (const host::Buffer& one : what.run.plan.buffers) {
            bytes += one.role == host::Role::workspace ? one.bytes() : 0;
        }
        return bytes;
    }
};

struct ProgramOperators::Shared {
    const ChipSpec& chip;
    const toolchain::Installation& installation;
    ProgramStreams& streams;
    Session* session = nullptr;
    std::map<std::string, json> called;  // by function
    std::set<std::string> labels;        // of movements
    /// Of launches, with the plan that they are of: they may be under way, or in a graph, when the program
    /// has destroyed its executor.
    std::deque<std::pair<std::shared_ptr<const TiledOperator>, PlanArguments>> arguments;

    [[nodiscard]] isa::GlobalMemory& memory() const { return session->machine().memory(); }

    /// Device memory of the operator's own.
    [[nodiscard]] std::byte* allocated(const std::string& name, std::uint64_t bytes, bool control) const {
        return memory().allocate(name, std::max<std::uint64_t>(bytes, 1), control);
    }

    /// Of a launch that a library's own code recorded, the operator's name stands behind the function's.
    [[nodiscard]] json& entry_of(const program::OperatorAsk& ask) {
        return called[ask.type.empty() ? ask.function : ask.function + ": " + ask.type];
    }

    /// A name that lasts as long as the streams may speak of it.
    [[nodiscard]] const char* label(const std::string& name) { return labels.insert(name).first->c_str(); }

    void count(const program::OperatorAsk& ask) {
        json& entry = entry_of(ask);
        entry["calls"] = entry.value("calls", 0) + 1;
    }

    void wrote(const std::byte* address, std::uint64_t bytes) const {
        if (session->checker() != nullptr) {
            session->checker()->declare_written(memory().offset_of(address), bytes);
        }
    }
};

namespace {

using Shared = ProgramOperators::Shared;

/// What decides on an operator's kernel and tiling, as a text.
std::string text_of(const program::OperatorAsk& ask) {
    std::string text = ask.function + ">" + ask.type;
    for (const CallArgument& one : ask.arguments) {
        text += fmt::format(";{} {} {}", one.name, one.given, one.type);
        for (const CallTensor& tensor : one.tensors) {
            text += fmt::format(" [{} {} {} {} {} {} {} {}]",
                                tensor.type,
                                tensor.format,
                                fmt::join(tensor.shape, "x"),
                                fmt::join(tensor.stored, "x"),
                                fmt::join(tensor.strides, ":"),
                                tensor.offset,
                                tensor.address != nullptr,
                                fmt::join(tensor.known, ","));
        }
        std::visit(
            [&text](const auto& value) {
                using Value = std::decay_t<decltype(value)>;
                if constexpr (std::is_same_v<Value, std::vector<bool>>) {
                    for (const bool truth : value) {
                        text += truth ? " 1" : " 0";
                    }
                } else if constexpr (std::is_same_v<Value, std::vector<std::vector<std::int64_t>>>) {
                    for (const auto& list : value) {
                        text += fmt::format(" {}", fmt::join(list, ","));
                    }
                } else if constexpr (requires { value.begin(); } && !std::is_same_v<Value, std::string>) {
                    text += fmt::format(" {}", fmt::join(value, ","));
                } else {
                    text += fmt::format(" {}", value);
                }
            },
            one.value);
    }
    return text;
}

/// The elements of a view go to another one, in order.
void bring(const std::shared_ptr<Shared>& shared,
           StreamNumber stream,
           const CallPlace& call,
           const CallTensor& from,
           const CallTensor& to) {
    const std::uint64_t element = element_bytes_of(from);
    const std::uint32_t device = shared->streams.device_of(stream);
    shared->streams.copy(
        stream,
        call,
        CopyRequest{.from = device, .to = device, .bytes = 2 * element_count(to.shape) * element},
        [from, to, element, shared] {
            std::vector<std::byte> row(element_count(from.shape) * element);
            move_elements(from, row.data(), element, true);
            move_elements(to, row.data(), element, false);
            for_each_place(to, element, [&](const std::byte* at) { shared->wrote(at, element); });
        });
}

class Prepared final : public program::PreparedOperator {
public:
    Prepared(std::shared_ptr<const TiledOperator> tiled,
             program::OperatorAsk ask,
             std::shared_ptr<Shared> shared)
        : tiled_{std::move(tiled)}, ask_{std::move(ask)}, shared_{std::move(shared)} {
        for (const host::Buffer& buffer : tiled_->what.run.plan.buffers) {
            if (buffer.role != host::Role::workspace) {
                addresses_[buffer.name] = address_of(buffer);
            }
        }
        for (const OperatorRun::List& list : tiled_->what.lists) {
            fill(list);
        }
    }

    [[nodiscard]] std::uint64_t workspace() const override { return tiled_->workspace(); }

    void launch(StreamNumber stream, const CallPlace& call, std::byte* workspace) override {
        std::uint64_t used = 0;
        for (const host::Buffer& buffer : tiled_->what.run.plan.buffers) {
            if (buffer.role == host::Role::workspace) {
                addresses_[buffer.name] = workspace == nullptr
                                              ? own_workspace(buffer)
                                              : workspace + std::exchange(used, used + buffer.bytes());
            }
        }
        for (const auto& [from, to] : tiled_->what.brought) {
            bring(shared_, stream, {"TensorMove", call.site}, tensor_at(from), tensor_at(to));
        }
        for (const Apart& one : apart_) {
            copy(stream, call, one, true);
        }
        for (const std::string& name : tiled_->what.zeroed) {
            clear(stream, call, name);
        }
        const PlannedRun& run = tiled_->what.run;
        for (std::size_t i = 0; i < run.plan.launches.size(); ++i) {
            shared_->arguments.emplace_back(
                tiled_, PlanArguments{run.plan.launches[i], [this](const std::string& name) {
                                          return addresses_.at(name);
                                      }});
            Launch launch = machine_launch(*shared_->session,
                                           run.plan.launches[i],
                                           tiled_->functions->of(i),
                                           shared_->arguments.back().second);
            shared_->session->progress().blocks_total.fetch_add(launch.blocks, std::memory_order_relaxed);
            shared_->streams.launch(stream, call, std::move(launch));
        }
        for (const Apart& one : apart_) {
            if (one.result) {
                copy(stream, call, one, false);
            }
        }
        shared_->count(ask_);
    }

private:
    /// A tensor of the program's whose elements lie apart, and where the kernel finds them in a row.
    struct Apart {
        CallTensor view;
        std::byte* packed = nullptr;
        std::uint64_t element_bytes = 1;
        bool result = false;
    };

    [[nodiscard]] const CallTensor& tensor_at(const OperatorRun::Place& place) const {
        return ask_.arguments.at(place.argument).tensors.at(place.tensor);
    }

    std::byte* address_of(const host::Buffer& buffer) {
        const auto place = tiled_->what.places.find(buffer.name);
        if (place == tiled_->what.places.end()) {
            std::byte* address = shared_->allocated(buffer.name, buffer.bytes(), buffer.control);
            if (const auto* content = std::get_if<host::fill::Content>(&buffer.fill)) {
                std::memcpy(address,
                            content->bytes.data(),
                            std::min<std::size_t>(content->bytes.size(), buffer.bytes()));
            }
            shared_->wrote(address, buffer.bytes());
            return address;
        }
        const CallTensor& tensor = tensor_at(place->second);
        const std::uint64_t element = isa::bytes_of(buffer.type, 1);
        if (tensor.address == nullptr || buffer.bytes() == 0) {
            return tensor.address;
        }
        if (!shared_->memory().owns(tensor.address)) {
            throw OperatorRefusal{fmt::format(
                "argument '{}' describes memory of the host: aclCreateTensor takes an address of aclrtMalloc",
                ask_.arguments[place->second.argument].name)};
        }
        if (isa::bits(buffer.type) < 8 && tensor.contiguous() && tensor.offset % 2 == 0) {
            const std::byte* end = tensor.address +
                                   isa::bytes_of(buffer.type, static_cast<std::uint64_t>(tensor.offset)) +
                                   buffer.bytes() - 1;
            if (shared_->memory().find(shared_->memory().offset_of(end)) ==
                shared_->memory().find(shared_->memory().offset_of(tensor.address))) {
                return tensor.address + isa::bytes_of(buffer.type, static_cast<std::uint64_t>(tensor.offset));
            }
        }
        if (!lies_in_its_allocation(shared_->memory(), tensor, element)) {
            throw OperatorRefusal{
                fmt::format("argument '{}': its shape, strides and offset reach beyond the allocation that "
                            "its address is "
                            "of; check what aclCreateTensor was given",
                            ask_.arguments[place->second.argument].name)};
        }
        if (tensor.contiguous()) {
            return tensor.address + static_cast<std::uint64_t>(tensor.offset) * element;
        }
        std::byte* packed = shared_->allocated(buffer.name, buffer.bytes(), true);
        apart_.push_back({.view = tensor,
                          .packed = packed,
                          .element_bytes = element,
                          .result = buffer.role != host::Role::input});
        return packed;
    }

    void fill(const OperatorRun::List& list) {
        std::byte* at = addresses_.at(list.buffer) + list.offset;
        for (const std::string& member : list.members) {
            const auto address = reinterpret_cast<std::uintptr_t>(addresses_.at(member));
            std::memcpy(at, &address, sizeof address);
            at += sizeof address;
        }
    }

    std::byte* own_workspace(const host::Buffer& buffer) {
        std::byte*& own = own_workspace_[buffer.name];
        own = own == nullptr ? shared_->allocated(buffer.name, buffer.bytes(), false) : own;
        return own;
    }

    /// On silicon a kernel of the library's does it (Contiguous, ViewCopy); here it takes a copy's time.
    void copy(StreamNumber stream, const CallPlace& call, const Apart& one, bool to_packed) {
        const std::uint64_t bytes = element_count(one.view.shape) * one.element_bytes;
        const std::uint32_t device = shared_->streams.device_of(stream);
        const auto shared = shared_;
        shared_->streams.copy(stream,
                              {to_packed ? "Contiguous" : "ViewCopy", call.site},
                              CopyRequest{.from = device, .to = device, .bytes = 2 * bytes},
                              [one, to_packed, bytes, shared] {
                                  move_elements(one.view, one.packed, one.element_bytes, to_packed);
                                  if (to_packed) {
                                      return shared->wrote(one.packed, bytes);
                                  }
                                  for_each_place(one.view, one.element_bytes, [&](const std::byte* at) {
                                      shared->wrote(at, one.element_bytes);
                                  });
                              });
    }

    void clear(StreamNumber stream, const CallPlace& call, const std::string& name) {
        const std::uint64_t bytes = tiled_->buffer(name).bytes();
        std::byte* address = addresses_.at(name);
        if (address == nullptr || bytes == 0) {
            return;
        }
        const std::uint32_t device = shared_->streams.device_of(stream);
        const std::uint64_t offset = shared_->memory().offset_of(address);
        const auto shared = shared_;
        shared_->streams.copy(
            stream,
            {"MemSet", call.site},
            CopyRequest{.from = device, .to = device, .bytes = bytes, .written_at = offset, .length = bytes},
            [address, bytes, shared] {
                std::memset(address, 0, bytes);
                shared->wrote(address, bytes);
            });
    }

    std::shared_ptr<const TiledOperator> tiled_;
    program::OperatorAsk ask_;
    std::shared_ptr<Shared> shared_;
    std::map<std::string, std::byte*> addresses_;      // by buffer
    std::map<std::string, std::byte*> own_workspace_;  // where the program brought none
    std::vector<Apart> apart_;
};

/// A movement that a library's own code recorded: a copy's time, as for elements that lie apart.
class Moved final : public program::PreparedOperator {
public:
    Moved(program::OperatorAsk ask, std::shared_ptr<Shared> shared)
        : ask_{std::move(ask)}, shared_{std::move(shared)} {
        for (const CallArgument& one : ask_.arguments) {
            check(one.tensors.front());
        }
    }

    [[nodiscard]] std::uint64_t workspace() const override { return 0; }

    void launch(StreamNumber stream, const CallPlace& call, std::byte* /*workspace*/) override {
        bring(shared_,
              stream,
              {shared_->label(ask_.type), call.site},
              ask_.arguments.at(0).tensors.front(),
              ask_.arguments.at(1).tensors.front());
        shared_->count(ask_);
    }

private:
    void check(const CallTensor& view) const {
        if (element_bytes_of(view) == 0) {
            throw OperatorRefusal{fmt::format(
                "a tensor of {} has a type of less than a byte (aclDataType {}), which is not moved",
                ask_.type,
                view.type)};
        }
        if (!shared_->memory().owns(view.address) ||
            !lies_in_its_allocation(shared_->memory(), view, element_bytes_of(view))) {
            throw OperatorRefusal{
                fmt::format("a tensor of {} is no memory of aclrtMalloc, or its shape, strides and "
                            "offset reach beyond it; check what aclCreateTensor was given",
                            ask_.type)};
        }
    }

    program::OperatorAsk ask_;
    std::shared_ptr<Shared> shared_;
};

}  // namespace

ProgramOperators::ProgramOperators(const OperatorSource* source,
                                   const ChipSpec& chip,
                                   const toolchain::Installation& installation,
                                   ProgramStreams& streams)
    : source_{source},
      shared_{
          std::make_shared<Shared>(Shared{.chip = chip, .installation = installation, .streams = streams})} {}

ProgramOperators::~ProgramOperators() = default;

std::shared_ptr<program::PreparedOperator> ProgramOperators::prepare(Session& session,
                                                                     const program::OperatorAsk& ask,
                                                                     std::string& refusal) {
    if (source_ == nullptr) {
        throw UserError{"{}:{}: {}: no library of operators is named: --library DIR, or [compile] library",
                        ask.site.file,
                        ask.site.line,
                        ask.function};
    }
    shared_->session = &session;
    if (ask.moves) {
        try {
            shared_->entry_of(ask).update(
                {{"call", ask.function}, {"kernel", ask.type}, {"origin", "a copy of AscendSim's own"}});
            return std::make_shared<Moved>(ask, shared_);
        } catch (const OperatorRefusal& error) {
            refusal = error.what();
            return nullptr;
        }
    }
    const std::string key = text_of(ask);
    auto known = tiled_.find(key);
    try {
        if (known == tiled_.end()) {
            if (process::sandbox_closed()) {
                throw UserError{
                    "{}: aclnn calls compile their operators while the program runs, which a sandbox "
                    "does not allow",
                    ask.function};
            }
            auto tiled = std::make_shared<TiledOperator>();
            tiled->what = source_->run_of(ask);
            tiled->functions =
                std::make_unique<PlanFunctions>(tiled->what.run, shared_->chip, shared_->installation);
            for (const std::string& file : tiled->functions->files()) {
                session.add_kernel_code(file);
            }
            const host::Launch& first = tiled->what.run.plan.launches.front();
            shared_->entry_of(ask).update({{"call", ask.function},
                                           {"kernel", first.label.empty() ? first.entry : first.label},
                                           {"origin", tiled->what.origin}});
            known = tiled_.emplace(key, std::move(tiled)).first;
        }
        return std::make_shared<Prepared>(known->second, ask, shared_);
    } catch (const OperatorRefusal& error) {
        refusal = error.what();
        return nullptr;
    }
}

std::vector<CallTensor> ProgramOperators::infer(const program::OperatorAsk& ask, std::string& refusal) {
    try {
        return source_ == nullptr ? std::vector<CallTensor>{} : source_->shapes_of(ask);
    } catch (const OperatorRefusal& error) {
        refusal = error.what();
        return {};
    }
}

program::OwnCode ProgramOperators::own_code(const std::string& function) {
    if (source_ == nullptr || process::sandbox_closed()) {
        return {};
    }
    const auto known = own_code_.find(function);
    return known != own_code_.end() ? known->second
                                    : own_code_.emplace(function, source_->own_code(function)).first->second;
}

json ProgramOperators::figures() const {
    json all = json::array();
    for (const auto& [function, entry] : shared_->called) {
        all.push_back(entry);
    }
    return all;
}

}  // namespace ascendsim::runtime
