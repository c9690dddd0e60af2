// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/look.hpp>
#include <sigma/hook/optimizer_check.hpp>

#include <algorithm>

namespace sigma {

struct Plateau {
    double factor = 0.5;        ///< of the learning rate, above 0 and below 1
    std::int64_t patience = 3;  ///< looks in a row without improvement after which it is reduced
    double min_rate = 0;        ///< it never gets smaller than this
    std::int64_t cooldown = 0;  ///< looks after a reduction that do not count
    double min_change = 0;      ///< an improvement is at least that much
    Best best = Best::usual;
};

/// The action of `reduce_on_plateau`, for sentences that say themselves when to look.
template <AnyValue V>
class ReduceOnPlateau : public Action<ReduceOnPlateau<V>> {
public:
    using Reads = Types<V>;
    static constexpr bool in_background = false;
    template <class O>
    static constexpr auto check_optimizer() {
        return detail::check_learning_rate<O>();
    }

    explicit ReduceOnPlateau(V v, Plateau how = {})
        : value_(v), how_(how), patience_(detail::positive("reduce_on_plateau with patience", how.patience)),
          watch_("reduce_on_plateau", detail::Watch::largest_of<V>(how.best), how.min_change) {
        if (!(how.factor > 0 && how.factor < 1))
            throw ArgumentError("reduce_on_plateau with factor", "a number above 0 and below 1", sentence(how.factor));
        if (!(how.min_rate >= 0)) throw ArgumentError("reduce_on_plateau with min_rate", "0 or more", sentence(how.min_rate));
        if (how.cooldown < 0) throw ArgumentError("reduce_on_plateau with cooldown", "0 or more", sentence(how.cooldown));
    }

    void run(auto& context) {
        watch_.look(context.get(value_));
        if (cooling_ > 0) {
            --cooling_;
            watch_.wait_anew();
        } else if (watch_.waited() >= patience_) {
            watch_.wait_anew();
            auto& rate = context.trainer().optimizer.learning_rate;
            const double next = std::max(static_cast<double>(rate) * how_.factor, how_.min_rate);
            if (!(next < static_cast<double>(rate))) return;
            rate = next;
            cooling_ = static_cast<std::uint64_t>(how_.cooldown);
        }
    }
    void visit_values(auto f) { f(value_); }
    void restart(auto&) { watch_.restart(), cooling_ = 0; }
    void archive(Archive& a) { watch_.archive(a), a(cooling_); }
    std::string text() const {
        return sentence("reduce_on_plateau(", value_.text(), ", factor ", how_.factor, ", patience ", patience_,
                        how_.min_rate > 0 ? sentence(", min_rate ", how_.min_rate) : "",
                        how_.cooldown > 0 ? sentence(", cooldown ", how_.cooldown) : "", watch_.text(how_.best), ")");
    }

private:
    V value_;
    Plateau how_;
    std::uint64_t patience_, cooling_ = 0;
    detail::Watch watch_;
};

/// Multiplies the learning rate by `factor` when the value has not improved at `patience` looks in a row. It looks whenever
/// the value is new: reduce_on_plateau(validation_error, {.factor = 0.5, .patience = 3, .min_rate = 1e-6}).
template <AnyValue V>
auto reduce_on_plateau(V v, Plateau how = {}) {
    return EachLook<V>(v).then(ReduceOnPlateau<V>(v, how)).template priority<500>();
}

}  // namespace sigma
