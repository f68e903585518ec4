// SPDX-License-Identifier: Apache-2.0
#include "runtime/acl/operator_columns.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/acl/host_log.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::tiling {
namespace {

/// Replaces parameters by those of the same name.
std::vector<ops::OpParamDef> merged(const std::deque<ops::OpParamDef>& general,
                                    const std::deque<ops::OpParamDef>& special) {
    std::vector<ops::OpParamDef> all{general.begin(), general.end()};
    for (const ops::OpParamDef& one : special) {
        const auto same = std::ranges::find(all, one.Name(), &ops::OpParamDef::Name);
        if (same == all.end()) {
            all.push_back(one);
        } else {
            *same = one;
        }
    }
    return all;
}

const ops::OpParamDef* named(const std::vector<ops::OpParamDef>& all, const std::string& name) {
    const auto found = std::ranges::find(all, name, &ops::OpParamDef::Name);
    return found == all.end() ? nullptr : &*found;
}

const GivenTensor* given_for(const OperatorCall& call, const std::string& name) {
    const auto found = std::ranges::find(call.parameters, name, &GivenParameter::name);
    return found == call.parameters.end() || found->tensors.empty() ? nullptr : &found->tensors.front();
}

/// Layouts that are not simply rows of numbers.
bool is_private(ge::Format format) {
    static constexpr ge::Format all[]{ge::FORMAT_FRACTAL_NZ,
                                      ge::FORMAT_FRACTAL_Z,
                                      ge::FORMAT_FRACTAL_Z_3D,
                                      ge::FORMAT_NC1HWC0,
                                      ge::FORMAT_NDC1HWC0,
                                      ge::FORMAT_FRACTAL_ZN_LSTM,
                                      ge::FORMAT_FRACTAL_ZN_RNN,
                                      ge::FORMAT_ND_RNN_BIAS};
    return std::ranges::find(all, format) != std::end(all);
}

class Columns {
public:
    Columns(const ChipDefinition& definition, const OperatorCall& call)
        : definition_{definition}, call_{call} {
        for (const auto* side : {&definition.inputs, &definition.outputs}) {
            for (const ops::OpParamDef& one : *side) {
                count_ = std::max({count_,
                                   one.IsFree() ? 0 : one.Types().size(),
                                   one.IsFreeFormat() ? 0 : one.Formats().size()});
            }
        }
    }

    [[nodiscard]] Column chosen() const {
        std::optional<Column> first;
        for (std::size_t c = 0; c < count_; ++c) {
            bool plain = true;
            std::optional<Column> column = column_at(c, plain);
            if (column && plain) {
                return *column;
            }
            if (column && !first) {
                first = std::move(column);
            }
        }
        if (first) {
            return *first;
        }
        throw UserError{"no column of types of {} has these: {}; {}",
                        definition_.definition->Type(),
                        given_text(),
                        nearest_text()};
    }

private:
    /// The types of a parameter are another's.
    [[nodiscard]] const ops::OpParamDef& source_of(const ops::OpParamDef& parameter) const {
        const ops::OpParamDef* at = &parameter;
        for (int steps = 0; steps < 8 && at->Types().empty() && !at->Follows().empty(); ++steps) {
            const ops::OpParamDef* next = named(definition_.inputs, at->Follows());
            next = next != nullptr ? next : named(definition_.outputs, at->Follows());
            if (next == nullptr || next == at) {
                break;
            }
            at = next;
        }
        return *at;
    }

    [[nodiscard]] std::optional<Column> column_at(std::size_t c, bool& plain) const {
        Column column;
        for (const ops::OpParamDef& one : definition_.inputs) {
            if (!add(column, one, one.Name(), c, plain)) {
                return std::nullopt;
            }
        }
        for (const ops::OpParamDef& one : definition_.outputs) {
            if (!add(column, one, "out:" + one.Name(), c, plain)) {
                return std::nullopt;
            }
        }
        return column;
    }

    [[nodiscard]] bool add(Column& column,
                           const ops::OpParamDef& parameter,
                           const std::string& key,
                           std::size_t c,
                           bool& plain) const {
        const ops::OpParamDef& source = source_of(parameter);
        const GivenTensor* given = given_for(call_, parameter.Name());
        ColumnEntry entry;
        if (!choose(source.Types(), source.IsFree(), c, given ? given->type : std::nullopt, entry.type)) {
            return false;
        }
        const auto wanted = given ? given->format : std::nullopt;
        const bool fits = choose(parameter.Formats(), parameter.IsFreeFormat(), c, wanted, entry.format);
        // A layout that differs in name only, as NCHW from ND, is taken where the definition lists none.
        if (!fits && !parameter.Formats().empty()) {
            return false;
        }
        plain = plain && (wanted || !is_private(entry.format));
        column[key] = entry;
        return true;
    }

    template <class Value>
    static bool choose(const std::vector<Value>& list,
                       bool free,
                       std::size_t c,
                       std::optional<std::int32_t> wanted,
                       Value& value) {
        if (list.empty()) {
            value = wanted ? static_cast<Value>(*wanted) : value;
            return true;
        }
        if (free && wanted) {
            value = static_cast<Value>(*wanted);
            return std::ranges::find(list, value) != list.end();
        }
        // A list of one holds for every column.
        value = free || list.size() == 1 ? list.front() : c < list.size() ? list[c] : list.back();
        return !wanted || static_cast<std::int32_t>(value) == *wanted;
    }

    [[nodiscard]] std::string given_text() const {
        std::vector<std::string> words;
        for (const GivenParameter& one : call_.parameters) {
            if (!one.tensors.empty() && one.tensors.front().type) {
                const auto type = static_cast<ge::DataType>(*one.tensors.front().type);
                words.push_back(one.name + " " + ge::TypeUtils::DataTypeToSerialString(type));
            }
            if (!one.tensors.empty() && one.tensors.front().format) {
                const auto format = static_cast<ge::Format>(*one.tensors.front().format);
                words.push_back(one.name + " " + ge::TypeUtils::FormatToSerialString(format));
            }
        }
        return fmt::format("{}", fmt::join(words, ", "));
    }

    /// What stands in the way: types that a parameter has in no column, or else those of the column that has
    /// most of what is asked.
    [[nodiscard]] std::string nearest_text() const {
        std::vector<std::string> never;
        for_asked([&](const ops::OpParamDef& one, ge::DataType asked) {
            const std::vector<ge::DataType>& types = source_of(one).Types();
            if (std::ranges::find(types, asked) == types.end()) {
                never.push_back(fmt::format("'{}' may be {}", one.Name(), distinct_text(types)));
            }
        });
        if (!never.empty()) {
            return fmt::format("{}", fmt::join(never, ", "));
        }
        std::vector<std::string> fewest;
        for (std::size_t c = 0; c < count_; ++c) {
            std::vector<std::string> others;
            for_asked([&](const ops::OpParamDef& one, ge::DataType asked) {
                const ops::OpParamDef& source = source_of(one);
                ge::DataType has = asked;
                if (!choose(source.Types(), source.IsFree(), c, static_cast<std::int32_t>(asked), has)) {
                    others.push_back(
                        fmt::format("{} {}", one.Name(), ge::TypeUtils::DataTypeToSerialString(has)));
                }
            });
            if (c == 0 || others.size() < fewest.size()) {
                fewest = std::move(others);
            }
        }
        return fewest.empty()
                   ? "columns with these types have other layouts"
                   : fmt::format("the nearest of {} columns has {}", count_, fmt::join(fewest, ", "));
    }

    /// Calls use(parameter, type) for each parameter whose type is asked for.
    template <class Use>
    void for_asked(const Use& use) const {
        for (const auto* side : {&definition_.inputs, &definition_.outputs}) {
            for (const ops::OpParamDef& one : *side) {
                const GivenTensor* given = given_for(call_, one.Name());
                if (given != nullptr && given->type && !source_of(one).Types().empty()) {
                    use(one, static_cast<ge::DataType>(*given->type));
                }
            }
        }
    }

    static std::string distinct_text(const std::vector<ge::DataType>& types) {
        std::vector<std::string> words;
        for (const ge::DataType type : types) {
            const std::string word = ge::TypeUtils::DataTypeToSerialString(type);
            if (std::ranges::find(words, word) == words.end()) {
                words.push_back(word);
            }
        }
        return fmt::format("{}", fmt::join(words, " or "));
    }

    const ChipDefinition& definition_;
    const OperatorCall& call_;
    std::size_t count_ = 1;
};

constexpr std::int64_t fractal_rows = 16;

std::int64_t parts(std::int64_t extent, std::int64_t part) {
    return (extent + part - 1) / part;
}

/// Columns of a fractal: 32 bytes.
std::int64_t fractal_columns(ge::DataType type) {
    constexpr std::int64_t bytes = 32;
    const int size = ge::GetSizeByDataType(type);
    return size > ge::kDataTypeSizeBitOffset ? bytes * 8 / (size - ge::kDataTypeSizeBitOffset)
                                             : bytes / std::max(size, 1);
}

}  // namespace

ChipDefinition definition_on(const ops::OpDef& definition, const std::string& chip) {
    const auto& configs = definition.AICore().Configs();
    const auto config = std::ranges::find_if(configs, [&chip](const auto& one) { return one.first == chip; });
    if (config == configs.end()) {
        std::vector<std::string> names;
        for (const auto& [name, unused] : configs) {
            names.push_back(name);
        }
        throw UserError{
            "{} is not for {} (its definition names: {})", definition.Type(), chip, fmt::join(names, ", ")};
    }
    return {.definition = &definition,
            .inputs = merged(definition.Inputs(), config->second.Inputs()),
            .outputs = merged(definition.Outputs(), config->second.Outputs()),
            .settings = config->second.Settings()};
}

Column chosen_column(const ChipDefinition& definition, const OperatorCall& call) {
    return Columns{definition, call}.chosen();
}

gert::Shape stored_shape(const gert::Shape& shape, const ColumnEntry& entry) {
    const std::size_t rank = shape.GetDimNum();
    const auto c0 = fractal_columns(entry.type);
    gert::Shape stored;
    if (entry.format == ge::FORMAT_FRACTAL_NZ && rank >= 2) {
        for (std::size_t i = 0; i + 2 < rank; ++i) {
            stored.AppendDim(shape[i]);
        }
        return stored.AppendDim(parts(shape[rank - 1], c0))
            .AppendDim(parts(shape[rank - 2], fractal_rows))
            .AppendDim(fractal_rows)
            .AppendDim(c0);
    }
    if (entry.format == ge::FORMAT_NC1HWC0 && rank == 4) {
        return {shape[0], parts(shape[1], c0), shape[2], shape[3], c0};
    }
    if (entry.format == ge::FORMAT_NDC1HWC0 && rank == 5) {  // of NCDHW
        return {shape[0], shape[2], parts(shape[1], c0), shape[3], shape[4], c0};
    }
    if (entry.format == ge::FORMAT_FRACTAL_Z && rank == 4) {
        return {parts(shape[1], c0) * shape[2] * shape[3], parts(shape[0], fractal_rows), fractal_rows, c0};
    }
    if (entry.format == ge::FORMAT_FRACTAL_Z_3D && rank == 5) {
        return {shape[2] * parts(shape[1], c0) * shape[3] * shape[4],
                parts(shape[0], fractal_rows),
                fractal_rows,
                c0};
    }
    return shape;
}

}  // namespace ascendsim::tiling
