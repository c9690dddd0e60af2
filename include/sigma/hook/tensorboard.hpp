// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Reports that TensorBoard shows. Include it yourself; no library is needed.
#include <sigma/core/words.hpp>
#include <sigma/hook/report.hpp>

#include <string>

SIGMA_INCLUDED(sigma, include_sigma_hook_tensorboard_hpp);

namespace sigma {

/// The destination of `tensorboard(folder)`: a folder of event files, one for each run of the hook that writes them.
///
/// @see tensorboard
struct ReportToTensorboard {
    std::string folder;  ///< name of the folder

    /// @cond internal
    detail::Owned<detail::ReportPlace> report_place() const;
    /// @endcond
};

/// Returns a destination for `report(…).to(…)`: scalars over iterations that TensorBoard shows.
///
/// Scalars have the names of the values. Texts and values that were never computed are left out. A new file begins with
/// each hook, after a reset, and when a run continues from a checkpoint. TensorBoard shows the files of a folder as one
/// run. Other programs can read each report at once.
///
/// The format are records of a length, data, and the masked CRC-32C of both (tensorflow/core/lib/io/record_writer.h).
/// The data are `Event` messages (tensorflow/core/util/event.proto) in the encoding of Protocol Buffers.
///
/// If the folder cannot be written, the report throws DataError, which ends the run as a HookError.
/// @param folder  name of the folder; it is created
/// @return the destination, for `report(…).to(…)`
///
/// @par Example
/// @code
/// // #include <sigma/hook/tensorboard.hpp>
/// trainer.add(every(10, iteration).then(report(loss, learning_rate).to(tensorboard("runs/a"))));
/// @endcode
///
/// @see report, csv
ReportToTensorboard tensorboard(std::string folder);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/tensorboard.ipp>
#endif
