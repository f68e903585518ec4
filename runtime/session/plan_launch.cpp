// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/plan_launch.hpp"

#include <new>
#include <stdexcept>

#include "sim/base/error.hpp"
#include "sim/base/units.hpp"

namespace ascendsim::runtime {
namespace {

/// Kernels have no exceptions; what one throws all the same is its fault, unless it is an error of ours on
/// its way out.
void call_entry(Session& session, const isa::Entry& entry, void** arguments) {
    try {
        session.run_block([&entry, arguments] { entry.invoke(arguments); });
    } catch (const std::bad_alloc&) {
        throw ProgramError{"kernel function '{}' ran out of memory: 'new' failed; the chip has none",
                           entry.name};
    } catch (const UserError&) {
        throw;
    } catch (const ProgramError&) {
        throw;
    } catch (const InternalError&) {
        throw;
    } catch (const std::runtime_error& error) {
        throw ProgramError{
            "kernel function '{}' threw an exception: {}; the chip has none", entry.name, error.what()};
    } catch (const std::logic_error& error) {
        throw ProgramError{
            "kernel function '{}' threw an exception: {}; the chip has none", entry.name, error.what()};
    } catch (const std::exception&) {
        throw;  // among them what ends a core's thread
    } catch (...) {
        throw ProgramError{"kernel function '{}' threw an exception; the chip has none", entry.name};
    }
}

}  // namespace

PlanArguments::PlanArguments(const host::Launch& launch, const Tensors& tensors)
    : PlanArguments{launch, [&tensors](const std::string& name) { return tensors.address(name); }} {}

PlanArguments::PlanArguments(const host::Launch& launch,
                             const std::function<std::byte*(const std::string&)>& address_of) {
    for (const host::Argument& argument : launch.arguments) {
        if (argument.buffer.empty()) {
            values_.push_back(argument.value);
        } else {
            std::byte* start = address_of(argument.buffer);
            std::byte* address = start == nullptr ? nullptr : start + argument.offset;
            const auto* raw = reinterpret_cast<const std::byte*>(&address);
            values_.emplace_back(raw, raw + sizeof address);
        }
    }
    for (std::vector<std::byte>& value : values_) {
        pointers_.push_back(value.data());
    }
}

std::uint32_t PlanArguments::bytes() const {
    std::size_t sum = 0;
    for (const std::vector<std::byte>& value : values_) {
        sum += round_up<std::size_t>(value.size(), sizeof(void*));
    }
    return static_cast<std::uint32_t>(sum);
}

Launch machine_launch(Session& session,
                      const host::Launch& launch,
                      const PlanFunctions::Pair& functions,
                      const PlanArguments& arguments) {
    void** pointers = arguments.pointers();
    const auto program = [&session, pointers](const isa::Entry* entry) {
        return entry == nullptr
                   ? Program{}
                   : Program{[&session, entry, pointers] { call_entry(session, *entry, pointers); }};
    };
    return {.name = launch.label.empty() ? launch.entry : launch.label,
            .kind = launch.cores,
            .blocks = launch.blocks,
            .vector_program = program(functions.vector),
            .cube_program = program(functions.cube),
            .argument_bytes = arguments.bytes()};
}

}  // namespace ascendsim::runtime
