// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gui/canvas/format.hpp"

namespace ascendsim::gui {

class Anchors;
struct ViewState;

/// A change of what the user sees, made between two frames.
using ViewEdit = std::function<void(ViewState&)>;

/// An open run, as far as the shell needs to know it. Immutable: when more is recorded, a fuller one replaces
/// it.
class Document {
public:
    Document() = default;
    Document(const Document&) = delete;
    Document& operator=(const Document&) = delete;
    virtual ~Document() = default;

    /// One line: scenario and chip.
    [[nodiscard]] virtual std::string title() const = 0;

    /// Its recording, without the file's extension, which tells it from another run of the same scenario;
    /// empty if it has none.
    [[nodiscard]] virtual std::filesystem::path file() const { return {}; }

    /// Length of the run so far, cycles.
    [[nodiscard]] virtual double cycles() const = 0;
    [[nodiscard]] virtual double clock_ghz() const = 0;

    /// True for a run that has not written anything yet: its length says nothing.
    [[nodiscard]] virtual bool pending() const { return false; }

    /// How its times are shown to who wants a unit. One whose cycles are no chip's is not shown in these.
    [[nodiscard]] virtual TimeScale time(TimeUnit wanted) const { return {wanted, clock_ghz()}; }
};

/// Turns what the user picked into open runs.
class DocumentSource {
public:
    DocumentSource() = default;
    DocumentSource(const DocumentSource&) = delete;
    DocumentSource& operator=(const DocumentSource&) = delete;
    virtual ~DocumentSource() = default;

    /// Opens a recording or starts a scenario; returns at once. Throws UserError if the path is no good.
    virtual void open(const std::string& path) = 0;
    /// Opens a recording to compare with.
    virtual void open_b(const std::string& path) = 0;
    /// What is open now; called once a frame, never waits. Null if nothing is.
    [[nodiscard]] virtual std::shared_ptr<const Document> run_a() = 0;
    [[nodiscard]] virtual std::shared_ptr<const Document> run_b() = 0;

    /// What is being opened and cannot be shown yet, a sentence for each file.
    [[nodiscard]] virtual std::vector<std::string> opening() const { return {}; }

    /// What went wrong since the last call, for the user.
    [[nodiscard]] virtual std::vector<std::string> take_messages() { return {}; }

    /// What opening something changes in the view, since the last call.
    [[nodiscard]] virtual std::vector<ViewEdit> take_edits() { return {}; }

    /// Tells scripts how runs stand.
    virtual void publish(Anchors& /*anchors*/) const {}
};

}  // namespace ascendsim::gui
