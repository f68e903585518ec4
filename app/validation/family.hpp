// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "app/scenario/overrides.hpp"
#include "app/validation/catalogue.hpp"
#include "app/validation/row.hpp"
#include "models/spec/chip_spec.hpp"

namespace ascendsim::validation {

/// One kernel on the simulated chip: what a scenario's [kernel] and other tables would say.
struct KernelRun {
    std::string kernel;                   // of kernels/
    std::vector<scenario::Override> set;  // as --set: {"kernel.m", "8192"}, {"chip.cores.aic", "20"}
    bool warm_l2 = false;                 // inputs in L2 as far as they fit
    std::uint32_t warm_up = 0;            // executions before those that count
    std::uint32_t repeat = 1;             // executions that count; their mean is taken
    bool launch_overhead = true;          // with the head and tail of the launch
    double times = 1;  // how often it counts: a part of a long loop run once, a kernel launched twice

    /// Sets a knob of the kernel.
    template <class T>
    KernelRun& knob(std::string_view name, const T& value) {
        set.push_back({"kernel." + std::string{name}, shown(value)});
        return *this;
    }

    /// Sets a parameter of the chip.
    template <class T>
    KernelRun& chip(std::string_view name, const T& value) {
        set.push_back({"chip." + std::string{name}, shown(value)});
        return *this;
    }

private:
    [[nodiscard]] static std::string shown(bool value) { return value ? "true" : "false"; }

    [[nodiscard]] static std::string shown(const char* value) { return "\"" + std::string{value} + "\""; }

    [[nodiscard]] static std::string shown(std::string_view value) {
        return "\"" + std::string{value} + "\"";
    }

    [[nodiscard]] static std::string shown(const std::string& value) { return "\"" + value + "\""; }

    [[nodiscard]] static std::string shown(isa::DataType value) { return shown(isa::name(value)); }

    [[nodiscard]] static std::string shown(const Extents& value) {
        std::string list;
        for (const std::uint64_t extent : value) {
            list += (list.empty() ? "" : ", ") + std::to_string(extent);
        }
        return "[" + list + "]";
    }

    template <class T>
    requires std::is_arithmetic_v<T>

    [[nodiscard]] static std::string shown(T value) { return std::to_string(value); }
};

/// Which simulated time stands against the measured figure.
enum class Quantity : std::uint8_t {
    task,  // from launch to end, head and tail included: task_duration, kernel_time
    core,  // from the first core's start to the last core's end: aic_time, aicore_time
    pipe,  // mean busy time of one kind of pipe over the cores that used it
};

/// A row that can be run.
struct Case {
    std::vector<KernelRun> runs;  // their times add up
    Quantity quantity = Quantity::task;
    std::string pipe;   // of Quantity::pipe: "aic_cube", "aiv_mte2", … ("cube" alone is every core kind's)
    double amount = 0;  // operations or bytes behind a rate (TFLOPS, GB/s), which then is turned into a time
    double extra_us =
        0;  // known time outside the kernel, added to the simulated one: a host's synchronisation
    double floor_us =
        0;  // least time that shows: a host still busy with the launch when the kernel has ended
    std::string assumed;  // what the row leaves open and was decided, for people
};

/// A row that cannot be run, and why: "collectives are not simulated".
struct WhyNot {
    std::string reason;
};

using Adapted = std::variant<Case, WhyNot>;

/// Everything an adapter may look at besides the row.
struct Context {
    const ChipSpec& chip;                 // resolved, with the row's clock
    const SourceRule& source;             // class, cold or warm L2
    std::vector<ValueRange> values = {};  // of the operands, where they are published
};

/// A family of measurements: how its rows become runs of our kernels. The file families/<name>.cpp defines
/// make_<name>_family(); rows whose id starts with NAME- are its. Recognise kernels by liberal matching and
/// shapes by what they say: rows of unseen files look alike but are spelled otherwise.
class Family {
public:
    Family() = default;
    Family(const Family&) = delete;
    Family& operator=(const Family&) = delete;
    virtual ~Family() = default;

    /// True for a row of no known family's name that this one takes by its kernel.
    [[nodiscard]] virtual bool recognises(const Row& row) const = 0;
    /// The run of a row, or why there is none. Quantity follows from the metric if left at task.
    [[nodiscard]] virtual Adapted adapt(const Row& row, const Context& context) const = 0;
};

/// A family and the name of its file in capitals: "GEMM".
struct NamedFamily {
    std::string name;
    std::unique_ptr<Family> family;
};

/// All families, by name. The list is made while building.
[[nodiscard]] std::vector<NamedFamily> make_families();

}  // namespace ascendsim::validation
