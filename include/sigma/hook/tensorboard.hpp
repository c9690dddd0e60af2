// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/words.hpp>
#include <sigma/hook/report.hpp>

#include <string>

// Event files that TensorBoard shows. Not part of sigma.hpp.

SIGMA_INCLUDED(sigma, include_sigma_hook_tensorboard_hpp);

namespace sigma {

/// A folder of event files, one for each run of the hook that writes them.
struct ReportToTensorboard {
    std::string folder;

    detail::Owned<detail::ReportPlace> report_place() const;
};

/// `report(loss, accuracy).to(tensorboard("runs/a"))`: scalars by the names of the values, over iterations. What was
/// never computed is left out; texts are. A file begins anew with its hook, after a reset and from a checkpoint:
/// TensorBoard shows the files of a folder as one run, and from where a later file begins, the later one. Each report
/// can be read at once. Throws DataError where the folder cannot be written. Format: records of a length, data and
/// masked CRC-32C of both (tensorflow/core/lib/io/record_writer.h), the data messages `Event` of
/// tensorflow/core/util/event.proto in the encoding of Protocol Buffers.
ReportToTensorboard tensorboard(std::string folder);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/tensorboard.ipp>
#endif
