// SPDX-License-Identifier: Apache-2.0
// Recordings for Python: the spans of all lanes as columns of NumPy.
#include "sim/record/recording.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "sim/base/error.hpp"

namespace ascendsim::python {
namespace {

namespace py = pybind11;

/// A column over all lanes.
template <class T, class Of>
py::array_t<T> column(const record::Recording& recording, std::size_t count, Of&& of) {
    py::array_t<T> all(static_cast<py::ssize_t>(count));
    T* to = all.mutable_data();
    for (std::size_t lane = 0; lane < recording.lanes().size(); ++lane) {
        const record::Lane& one = recording.lanes()[lane];
        for (std::size_t i = 0; i < one.size(); ++i) {
            *to++ = static_cast<T>(of(lane, one, i));
        }
    }
    return all;
}

py::dict spans_of(const record::Recording& recording) {
    using record::Lane;
    const std::size_t count = recording.span_count();
    const auto time = [&](auto Lane::*field) {
        return column<std::uint64_t>(recording, count, [field](std::size_t, const Lane& lane, std::size_t i) {
            return (lane.*field)[i];
        });
    };
    const auto number = [&](auto Lane::*field) {
        return column<std::uint32_t>(recording, count, [field](std::size_t, const Lane& lane, std::size_t i) {
            return (lane.*field)[i];
        });
    };
    py::dict spans;
    spans["lane"] = column<std::uint32_t>(
        recording, count, [](std::size_t lane, const Lane&, std::size_t) { return lane; });
    spans["start"] = time(&Lane::start);
    spans["end"] = time(&Lane::end);
    spans["issue"] = time(&Lane::issue);
    spans["op"] = number(&Lane::op);
    spans["site"] = number(&Lane::site);
    spans["reason"] = column<std::uint8_t>(
        recording, count, [](std::size_t, const Lane& lane, std::size_t i) { return lane.reason[i]; });
    spans["bytes"] = number(&Lane::bytes);
    spans["work"] = number(&Lane::work);
    spans["conflict"] = number(&Lane::conflict);
    return spans;
}

py::dict read(const std::string& file) {
    const record::Recording recording{file};
    std::vector<std::string> lanes;
    for (const record::Lane& lane : recording.lanes()) {
        lanes.push_back(lane.path.text());
    }
    std::vector<std::pair<std::string, std::uint32_t>> sites;
    for (const record::SourceLine& site : recording.sites()) {
        sites.emplace_back(site.file, site.line);
    }
    py::dict result;
    result["spans"] = spans_of(recording);
    result["lanes"] = lanes;
    result["ops"] = recording.names();
    result["sites"] = sites;
    result["reasons"] = std::vector<std::string>{record::reason_names.begin(), record::reason_names.end()};
    return result;
}

}  // namespace
}  // namespace ascendsim::python

PYBIND11_MODULE(_native, module) {
    module.doc() = "Reads recordings; see ascendsim.Result.spans.";
    module.def(
        "read",
        &ascendsim::python::read,
        pybind11::arg("file"),
        "Spans, lanes, ops, sites and reasons of a recording. Raises ValueError if it is none, or damaged.");
    pybind11::register_exception_translator([](std::exception_ptr failure) {
        try {
            std::rethrow_exception(failure);
        } catch (const ascendsim::UserError& error) {
            PyErr_SetString(PyExc_ValueError, error.what());
        }
    });
}
