// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/look.hpp>
#include <sigma/hook/parameter_copy.hpp>

namespace sigma {

struct EarlyStopping {
    std::int64_t patience = 5;  ///< looks in a row without improvement after which the run ends
    double min_change = 0;      ///< an improvement is at least that much
    bool restore_best = true;   ///< the parameters of the best look come back at the stop
    Best best = Best::usual;
};

/// The action of `early_stop`, for sentences that say themselves when to look: every(5, epoch).then(EarlyStop(error)).
template <AnyValue V>
class EarlyStop : public Action<EarlyStop<V>> {
public:
    using Reads = Types<V>;
    static constexpr bool in_background = false;

    explicit EarlyStop(V v, EarlyStopping how = {})
        : value_(v), how_(how), patience_(detail::positive("early_stop with patience", how.patience)),
          watch_("early_stop", detail::Watch::largest_of<V>(how.best), how.min_change) {}

    void run(auto& context) {
        if (watch_.look(context.get(value_))) {
            if (how_.restore_best) best_.take(context.model());
        } else if (watch_.waited() >= patience_) {
            watch_.wait_anew();  // for the next run
            if (!best_.empty()) {
                best_.put(context.model());
                context.trainer().parameters_changed();
            }
            context.stop();
        }
    }
    void visit_values(auto f) { f(value_); }
    void restart(auto&) { watch_.restart(), best_.clear(); }
    void archive(Archive& a) { watch_.archive(a), best_.archive(a); }
    std::string text() const {
        return sentence("early_stop(", value_.text(), ", patience ", patience_, watch_.text(how_.best),
                        how_.restore_best ? ")" : ", without restoring)");
    }

private:
    V value_;
    EarlyStopping how_;
    std::uint64_t patience_;
    detail::Watch watch_;
    detail::ParameterCopy best_;
};

/// Ends the run when the value has not improved at `patience` looks in a row, and gives back the parameters of the best
/// look, bit by bit; states of the optimizer are left alone (Prechelt 1998, "Early stopping – but when?"). It looks
/// whenever the value is new, after the other hooks of the moment. A further run goes on with fresh patience.
///
///     trainer.add(every(1, epoch).then(score(validation)), early_stop(validation_error, {.patience = 5}));
template <AnyValue V>
auto early_stop(V v, EarlyStopping how = {}) {
    return EachLook<V>(v).then(EarlyStop<V>(v, how)).template priority<1000>();
}

}  // namespace sigma
