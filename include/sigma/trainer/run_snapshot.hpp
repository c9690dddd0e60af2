// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/archive.hpp>
#include <sigma/network/model_store.hpp>
#include <sigma/trainer/run_record.hpp>

#include <span>
#include <string>
#include <vector>

namespace sigma::detail {

/// Where a run began, for going back to it: all but the optimizer's numbers.
template <class T>
struct RunSnapshot {
    using Hooks = std::span<ArchivedHooks* const>;

    bool taken = false;
    RunRecord run{};
    double runtime = 0;  ///< seconds
    std::string frozen{};
    ~RunSnapshot();

    void take(const ModelStore<T>& model, const DualBuffer<T>& states, Hooks hooks, const RunRecord& record,
              std::string frozen_names);
    /// Whether the hooks are those of then and have their state again.
    bool restore(ModelStore<T>& model, DualBuffer<T>& states, Hooks hooks) const;

private:
    std::vector<T> parameters_, states_;
    std::vector<Archive> hooks_;
    std::string sentences_;
};

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
extern template struct sigma::detail::RunSnapshot<float>;
extern template struct sigma::detail::RunSnapshot<double>;
#else
#include <sigma/trainer/impl/run_snapshot.ipp>
#endif
