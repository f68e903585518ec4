// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ascendsim::validation {

/// A shipped model by its published names.
struct NamedModel {
    std::string file;                // of scenarios/serving/models, without .json
    std::vector<std::string> names;  // as published: "DeepSeek-V3.1"
};

/// The models of scenarios/serving/models/names.toml, by what rows call them.
class ModelNames {
public:
    /// Reads the file. Throws UserError for what is wrong in it.
    explicit ModelNames(const std::filesystem::path& file);

    /// The model whose name stands in the words; nullptr if none does. A name holds where nothing of it goes
    /// on behind it ("V3" is not "V3.2"); the longest that holds counts.
    [[nodiscard]] const NamedModel* in(std::string_view words) const;

    [[nodiscard]] const std::vector<NamedModel>& models() const { return models_; }

private:
    std::vector<NamedModel> models_;
};

}  // namespace ascendsim::validation
