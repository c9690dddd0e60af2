// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <span>

namespace sigma::detail {

template <class T>
class EvaluatedRecords;
struct ScoreView;

/// Others with the same parameters, who take a part of the records that a network is evaluated on. For the thread that
/// trains it.
template <class T>
class RecordSharing {
public:
    virtual void evaluate(EvaluatedRecords<T>& records, ScoreView to) = 0;
    /// What each cost predicts for all records, until the next call.
    virtual std::span<T* const> predict(EvaluatedRecords<T>& records) = 0;

protected:
    ~RecordSharing() = default;
};

}  // namespace sigma::detail
