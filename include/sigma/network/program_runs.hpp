// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/runner.hpp>
#include <sigma/network/streams.hpp>
#include <sigma/network/workspaces.hpp>

#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace sigma::detail {

struct CostScore {
    double error = 0;  ///< mean loss, without its weight
    /// Share of what is right: of records, or of all positions and answers in them; NaN where the loss knows no right
    /// and wrong.
    double accuracy = std::numeric_limits<double>::quiet_NaN();
};

/// A score whose costs are somewhere else.
struct ScoreView {
    double& error;
    double& accuracy;
    std::span<CostScore> costs;

    /// Where parts are added up: 0, and NaN where there is no accuracy.
    void begin(const NetworkTable& network) const;
    /// Adds a part with the share of records that it is of.
    void add(double share, const ScoreView& part) const;
};

/// One program of a model, run by many threads at a time: each has an executor of its own, made at first use.
template <class T>
class ProgramRuns {
public:
    ProgramRuns();
    ~ProgramRuns();

    /// A program to predict, from and to dense rows. A network that remembers goes on where it has stopped, or begins
    /// `anew` and leaves no trace. Throws ArgumentError where it remembers another number of streams.
    void predict(const ModelStore<T>& model, const CompiledProgram<T>& program, int threads, bool anew, Rows<T> inputs,
                 std::span<T* const> results, std::ptrdiff_t count);
    /// A program to evaluate; `to` becomes the mean over all records. `there`: they are in the memory of the
    /// accelerator that works on the parameters.
    void evaluate(const ModelStore<T>& model, const CompiledProgram<T>& program, int threads, Rows<T> inputs,
                  Rows<T> targets, std::ptrdiff_t count, bool there, ScoreView to);

private:
    /// What one thread borrows.
    struct Piece {
        Runner<T> runner;
        std::vector<T> values{};
        typename Streams<T>::Batch states{};

        using From = std::pair<const CompiledProgram<T>&, const ModelStore<T>&>;
        explicit Piece(const From& from) : runner(from.first, from.second) {}
    };
    Workspaces workspaces_;

    template <class F>
    void with_piece(const ModelStore<T>& model, const CompiledProgram<T>& program, bool alone, int threads,
                    std::ptrdiff_t count, F f);
};

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
extern template class sigma::detail::ProgramRuns<float>;
extern template class sigma::detail::ProgramRuns<double>;
#else
#include <sigma/network/impl/program_runs.ipp>
#endif
