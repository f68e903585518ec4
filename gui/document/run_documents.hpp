// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <future>
#include <memory>
#include <string>
#include <vector>

#include "gui/document/run_file.hpp"

namespace ascendsim::gui {

/// The recordings that are open: the run under study (A) and the one it is compared with (B).
class RunDocuments : public DocumentSource {
public:
    explicit RunDocuments(Loading loading = Loading::background) : loading_{loading} {}

    /// Opens a recording as A. Throws UserError if it is none.
    void open(const std::string& path) override;
    /// Opens a recording as B.
    void open_b(const std::string& path) override;
    void close_b();
    void close();
    void swap_runs();
    /// The run that wrote A has ended.
    void hurry();
    /// True unless the writer of A has ended and part of what it wrote is yet to be read.
    [[nodiscard]] bool settled() const;

    [[nodiscard]] std::shared_ptr<const Document> run_a() override;
    [[nodiscard]] std::shared_ptr<const Document> run_b() override;
    [[nodiscard]] std::vector<std::string> opening() const override;
    [[nodiscard]] std::vector<std::string> take_messages() override;

    /// Empty if none is open.
    [[nodiscard]] std::string path_a() const;
    [[nodiscard]] std::string path_b() const;

private:
    /// Ends a file's worker without waiting for it.
    void close(std::unique_ptr<RunFile> file);

    Loading loading_;
    std::unique_ptr<RunFile> a_;
    std::unique_ptr<RunFile> b_;
    std::vector<std::future<void>> closing_;
};

}  // namespace ascendsim::gui
