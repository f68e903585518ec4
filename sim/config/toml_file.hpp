// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/base/error.hpp"

namespace ascendsim {

struct TomlValue;

/// The elements of an array.
struct TomlArray {
    std::vector<TomlValue> items;
};

/// The members of a table, in the order of the file; each carries its key.
struct TomlTable {
    std::vector<TomlValue> members;
};

/// A date or time: legal TOML that no parameter of ours takes.
struct TomlDate {};

/// One value of a TOML file with the place it was written at.
struct TomlValue {
    std::string key;         // empty in arrays and at the root
    std::uint32_t line = 1;  // counted from 1; 0: given by --set
    std::variant<TomlTable, TomlArray, bool, std::int64_t, double, std::string, TomlDate> data;
};

class TableReader;

/// A parsed TOML file. Copies are cheap and share the tree, so readers may outlive the variable they came
/// from.
class TomlFile {
public:
    /// Reads a file. Throws UserError if it cannot be read or is not TOML, naming file, line and column.
    [[nodiscard]] static TomlFile open(const std::filesystem::path& path);

    /// Reads a text; `name` stands in messages where a file's name would.
    [[nodiscard]] static TomlFile parse(std::string_view text, std::string name);

    /// The same file with another tree, as overrides make it.
    [[nodiscard]] TomlFile with_root(TomlValue root) const {
        return TomlFile{{.name = name(), .root = std::move(root)}};
    }

    [[nodiscard]] const std::string& name() const { return content_->name; }

    /// The folder that relative paths written in the file refer to.
    [[nodiscard]] std::filesystem::path folder() const;

    [[nodiscard]] const TomlValue& root() const { return content_->root; }

    /// A reader of the whole file. Include "sim/config/table_reader.hpp" to use it.
    [[nodiscard]] TableReader reader() const;

private:
    struct Content {
        std::string name;
        TomlValue root;
    };

    explicit TomlFile(Content content) : content_{std::make_shared<const Content>(std::move(content))} {}

    std::shared_ptr<const Content> content_;
};

}  // namespace ascendsim
