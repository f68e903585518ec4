// SPDX-License-Identifier: Apache-2.0
#include "networks/loops/space.hpp"

#include <algorithm>
#include <map>

#include "networks/loops/axis_classes.hpp"
#include "networks/loops/reasons.hpp"

namespace ascendsim::networks::loops {
namespace {

constexpr std::size_t most_axes = 6;

/// Builds a space from the axes that values have in common.
class Layout {
public:
    explicit Layout(const Loop& loop) : loop_{loop}, classes_{loop} {
        order_axes();
        for (const AxisId axis : order_) {
            space_.axes.push_back({classes_.extent(axis), classes_.reduced().contains(axis)});
        }
        find_reads();
        find_writes();
        merge();
        pad();
        check_strides();
        find_forms();
    }

    Space result() && { return std::move(space_); }

private:
    std::vector<AxisId> classes_of(const AxedValue& value) const {
        std::vector<AxisId> classes;
        for (const std::optional<AxisId>& axis : value.axes) {
            if (axis) {
                classes.push_back(classes_.find(*axis));
            }
        }
        return classes;
    }

    /// The axes in the order of the largest value, outputs first; others go before the axis they precede.
    void order_axes() {
        std::vector<std::size_t> values = loop_.outputs;
        for (std::size_t i = classes_.values().size(); i-- > 0;) {
            if (!classes_.values()[i].view || is_used(i)) {
                values.push_back(i);
            }
        }
        std::ranges::stable_sort(values, [this](std::size_t a, std::size_t b) {
            return classes_of(classes_.values()[a]).size() > classes_of(classes_.values()[b]).size();
        });
        for (const std::size_t value : values) {
            const std::vector<AxisId> classes = classes_of(classes_.values()[value]);
            for (std::size_t d = classes.size(); d-- > 0;) {
                if (std::ranges::count(classes, classes[d]) > 1) {
                    throw CannotGenerate{Reason::view_of_result,
                                         "two axes of one tensor run together, as in x + transpose(x)"};
                }
                if (std::ranges::find(order_, classes[d]) == order_.end()) {
                    const auto next =
                        d + 1 < classes.size() ? std::ranges::find(order_, classes[d + 1]) : order_.end();
                    order_.insert(next, classes[d]);
                }
            }
        }
    }

    std::vector<std::uint64_t> along_axes(const AxedValue& value,
                                          const std::vector<std::uint64_t>& strides) const {
        std::vector<std::uint64_t> result(order_.size(), 0);
        for (std::size_t d = 0; d < value.axes.size(); ++d) {
            if (value.axes[d]) {
                const auto at = std::ranges::find(order_, classes_.find(*value.axes[d])) - order_.begin();
                result[static_cast<std::size_t>(at)] = strides[d];
            }
        }
        return result;
    }

    void find_reads() {
        for (std::size_t i = 0; i < classes_.values().size(); ++i) {
            const AxedValue& value = classes_.values()[i];
            ValueInSpace in_space{.form = {}, .same = value.same};
            if (value.view && is_used(i)) {
                const Access access{
                    value.view->input, value.view->offset, along_axes(value, value.view->strides)};
                auto found = std::ranges::find(space_.reads, access);
                if (found == space_.reads.end()) {
                    found = space_.reads.insert(found, access);
                }
                in_space.read = static_cast<std::size_t>(found - space_.reads.begin());
            }
            space_.values.push_back(in_space);
        }
    }

    /// True if something is computed of the value, or it is stored.
    bool is_used(std::size_t value) const {
        const auto computes = [value](const Step& step) {
            return !is_view(step.op) && std::ranges::find(step.inputs, value) != step.inputs.end();
        };
        return std::ranges::any_of(loop_.steps, computes) ||
               std::ranges::find(loop_.outputs, value) != loop_.outputs.end();
    }

    void find_writes() {
        for (std::size_t i = 0; i < loop_.outputs.size(); ++i) {
            const AxedValue& value = classes_.values().at(loop_.outputs[i]);
            host::Shape shape;  // by its axes: a reshaped output is stored as what it is a shape of
            for (const std::optional<AxisId>& axis : value.axes) {
                shape.push_back(axis ? classes_.extent(*axis) : 1);
            }
            std::vector<std::uint64_t> strides(shape.size(), 1);
            for (std::size_t d = shape.size(); d-- > 1;) {
                strides[d - 1] = strides[d] * shape[d];
            }
            space_.writes.push_back({i, 0, along_axes(value, strides)});
        }
    }

    bool alike(std::size_t a, std::size_t b) const {
        const auto together = [&](const Access& access) {
            return access.strides[a] == access.strides[b] * space_.axes[b].extent;
        };
        // Values that vary along one of both only, as constants spread by an output do.
        const auto vary = [&](const AxedValue& value) {
            const auto has = [&](std::size_t axis) {
                return std::ranges::any_of(value.varies,
                                           [&](AxisId id) { return classes_.find(id) == order_[axis]; });
            };
            return has(a) == has(b);
        };
        return space_.axes[a].reduced == space_.axes[b].reduced &&
               std::ranges::all_of(space_.reads, together) && std::ranges::all_of(space_.writes, together) &&
               std::ranges::all_of(classes_.values(), vary);
    }

    void merge() {
        for (std::size_t a = order_.size(); a-- > 1;) {
            if (!alike(a - 1, a)) {
                continue;
            }
            space_.axes[a - 1].extent *= space_.axes[a].extent;
            const auto drop = [a](std::vector<std::uint64_t>& strides) {
                strides.erase(strides.begin() + static_cast<std::ptrdiff_t>(a) - 1);
            };
            std::ranges::for_each(space_.reads, drop, &Access::strides);
            std::ranges::for_each(space_.writes, drop, &Access::strides);
            space_.axes.erase(space_.axes.begin() + static_cast<std::ptrdiff_t>(a));
            order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(a) - 1);
        }
    }

    /// A tile has two axes.
    void pad() {
        if (space_.axes.size() > most_axes) {
            throw CannotGenerate{
                Reason::too_many_axes,
                fmt::format("{} that cannot be merged, of {}", space_.axes.size(), most_axes)};
        }
        space_.flat = space_.axes.size() < 2;
        const auto lead = [](std::vector<std::uint64_t>& strides) { strides.insert(strides.begin(), 0); };
        while (space_.axes.size() < 2) {
            const bool reduced = !space_.axes.empty() && space_.axes.front().reduced;
            space_.axes.insert(space_.axes.begin(), {1, reduced});
            std::ranges::for_each(space_.reads, lead, &Access::strides);
            std::ranges::for_each(space_.writes, lead, &Access::strides);
        }
    }

    void check_strides() const {
        const std::size_t width = space_.axes.size() - 1;
        const auto check_access = [&](const Access& access, std::string_view kind) {
            const bool column = access.strides[width] == 0 && access.strides[width - 1] > 1;
            if (access.strides[width] > 1 || column) {
                throw CannotGenerate{Reason::inner_stride,
                                     fmt::format("those of {} {} are {} apart",
                                                 kind,
                                                 access.tensor,
                                                 std::max(access.strides[width], access.strides[width - 1]))};
            }
        };
        for (const Access& read : space_.reads) {
            check_access(read, "input");
        }
        for (std::size_t i = 0; i < space_.writes.size(); ++i) {
            check_access(space_.writes[i], "output");
            for (std::size_t a = 0; a < space_.axes.size(); ++a) {
                const bool kept = !space_.axes[a].reduced && space_.axes[a].extent > 1;
                if (kept && space_.writes[i].strides[a] == 0) {
                    throw CannotGenerate{
                        Reason::partial_output,
                        fmt::format("output {} has not the axis of {}", i, space_.axes[a].extent)};
                }
            }
        }
    }

    Form form_of(const std::vector<bool>& along) const {
        const std::size_t width = along.size() - 1;
        return {space_.flat ? along[width] : along[width - 1], along[width]};
    }

    bool kept(const std::vector<bool>& along) const {
        for (std::size_t a = 0; a < along.size(); ++a) {
            if (along[a] && space_.axes[a].reduced) {
                return false;
            }
        }
        return true;
    }

    /// Along which axes of the space a value varies.
    std::vector<bool> along(const AxedValue& value) const {
        std::vector<bool> result(space_.axes.size(), false);
        const std::size_t lead = space_.axes.size() - order_.size();
        for (const AxisId id : value.varies) {
            const auto at = std::ranges::find(order_, classes_.find(id));
            if (at != order_.end()) {  // else it is merged into one that is there
                result[lead + static_cast<std::size_t>(at - order_.begin())] = true;
            }
        }
        return result;
    }

    void find_forms() {
        for (std::size_t i = 0; i < space_.values.size(); ++i) {
            const std::vector<bool> axes = along(classes_.values()[i]);
            space_.values[i].form = form_of(axes);
            space_.values[i].kept = kept(axes);
        }
        for (const Access& write : space_.writes) {
            std::vector<bool> axes;
            std::ranges::transform(
                write.strides, std::back_inserter(axes), [](std::uint64_t stride) { return stride != 0; });
            space_.write_forms.push_back(form_of(axes));
            space_.write_kept.push_back(kept(axes));
        }
    }

    const Loop& loop_;
    AxisClasses classes_;
    std::vector<AxisId> order_;  // of the axes that are not merged into the next
    Space space_;
};

}  // namespace

bool Space::reduces() const {
    return std::ranges::any_of(axes, &Axis::reduced);
}

std::uint64_t Space::reduced_extent() const {
    std::uint64_t extent = 1;
    for (const Axis& axis : axes) {
        extent *= axis.reduced ? axis.extent : 1;
    }
    return extent;
}

Space lay_out(const Loop& loop) {
    return Layout{loop}.result();
}

}  // namespace ascendsim::networks::loops
