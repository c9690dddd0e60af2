// SPDX-License-Identifier: BSL-1.0
#include "functions.hpp"

#include "text.hpp"

#include <sigma/tape/block_formulas.hpp>
#include <sigma/tape/formulas.hpp>

#include <set>
#include <vector>

namespace sigma::detail {

namespace {

#define SIGMA_TEXT(...) #__VA_ARGS__
#define SIGMA_TEXT_OF(...) SIGMA_TEXT(__VA_ARGS__)
#define SIGMA_DEVICE constexpr
#define SIGMA_MEMBER constexpr
constexpr const char* formulas = SIGMA_TEXT_OF(SIGMA_FORMULAS);
constexpr const char* block_formulas = SIGMA_TEXT_OF(SIGMA_BLOCK_FORMULAS);
#undef SIGMA_MEMBER
#undef SIGMA_DEVICE

struct Definition {
    std::string name, text;
};

/// The formulas of device/cpu/transcendental.hpp for single numbers, without fused operations. Each calls only earlier
/// ones.
const Definition before_formulas[] = {
    {"is_single", "template <class V>\ninline constexpr bool is_single = sizeof(V) == 4;\n"},
    {"real", R"(template <class V>
constexpr V real(double x) {
    return static_cast<V>(x);
}
)"},
    {"infinity", "template <class V>\ninline constexpr V infinity = static_cast<V>(__builtin_huge_val());\n"},
    {"not_a_number", "template <class V>\ninline constexpr V not_a_number = static_cast<V>(__builtin_nan(\"\"));\n"},
    {"nan", "constexpr double nan(const char*) { return not_a_number<double>; }\n"},
    {"select", R"(template <class V>
constexpr V select(bool condition, V yes, V no) {
    return condition ? yes : no;
}
)"},
    {"abs", R"(template <class V>
constexpr V abs(V x) {
    return x < V(0) ? -x : x + V(0);
}
)"},
    {"maximum", R"(template <class V>
constexpr V maximum(V a, V b) {
    return a != a || a > b ? a : b;
}
)"},
    {"minimum", R"(template <class V>
constexpr V minimum(V a, V b) {
    return a != a || a < b ? a : b;
}
)"},
    {"fma", R"(template <class V>
constexpr V fma(V a, V b, V c) {
    return a * b + c;
}
)"},
    {"clamp", R"(template <class V>
constexpr V clamp(V x, double low, double high) {
    return x < real<V>(low) ? real<V>(low) : x > real<V>(high) ? real<V>(high) : x;
}
)"},
    {"Format", R"(template <class V>
struct Format {  // the bits of a double
    using Word = uint64_t;
    static constexpr int fraction = 52;
    static constexpr double whole = 0x1p52;
};
template <>
struct Format<float> {
    using Word = uint32_t;
    static constexpr int fraction = 23;
    static constexpr float whole = 0x1p23F;
};
)"},
    {"Word", "template <class V>\nusing Word = typename Format<V>::Word;\n"},
    {"bits_of", R"(template <class V>
constexpr Word<V> bits_of(V x) {
    return __builtin_bit_cast(Word<V>, x);
}
)"},
    {"number_of", R"(template <class V>
constexpr V number_of(Word<V> bits) {
    return __builtin_bit_cast(V, bits);
}
)"},
    {"round_to_whole", R"(template <class V>
constexpr void round_to_whole(const V* x, int apart, int count, V factor, int16_t* to) {
    for (int k = 0; k < count; ++k) {  // rounds to the nearest of -127 to 127; NaN gives less
        const V y = x[k * apart] * factor, c = y > 127 ? V(127) : y < -127 ? V(-127) : y;
        const int32_t bits = static_cast<int32_t>(bits_of(c + V(12582912)));
        to[k] = y != y ? int16_t(-32768) : static_cast<int16_t>(bits - 0x4B400000);
    }
}
)"},
    {"take_window",
     R"(constexpr void take_window(const int16_t* x, int rows, int row, int columns, int column, int channels,
                           int16_t* to) {
    for (int a = 0; a < rows; ++a)
        for (int b = 0; b < columns; ++b)
            for (int c = 0; c < channels; ++c) *to++ = x[a * row + b * column + c];
}
)"},
    {"multiply_whole", R"(template <class V>
constexpr void multiply_whole(const int16_t* x, const int8_t* w, const V* scales, int count, int outputs, V* y,
                              int apart) {
    int lost = 0;
    for (int k = 0; k < count; ++k) lost |= x[k] == -32768;
    const auto put = [&](int j, int32_t sum) {
        y[j * apart] = lost != 0 ? not_a_number<V> : scales[j] * static_cast<V>(sum);
    };
    int j = 0;
    for (; j + 4 <= outputs; j += 4, w += 4 * count) {  // compilers vectorize this loop by pairs
        int32_t p = 0, q = 0, r = 0, s = 0;
        for (int k = 0; k < count; ++k) {
            p += x[k] * static_cast<int16_t>(w[k]);
            q += x[k] * static_cast<int16_t>(w[count + k]);
            r += x[k] * static_cast<int16_t>(w[2 * count + k]);
            s += x[k] * static_cast<int16_t>(w[3 * count + k]);
        }
        put(j, p), put(j + 1, q), put(j + 2, r), put(j + 3, s);
    }
    for (int left = outputs % 4; left > 0; --left, ++j, w += count) {
        int32_t p = 0;
        for (int k = 0; k < count; ++k) p += x[k] * static_cast<int16_t>(w[k]);
        put(j, p);
    }
}
)"},
    {"Reduced", R"(template <class V>
struct Reduced {  // x = n ln 2 + r; bits end with n + 2 bias
    V n = 0, r = 0;
    Word<V> bits = 0;

    constexpr explicit Reduced(V x) {
        constexpr V round = real<V>(is_single<V> ? 0x1.8p23 + 254 : 0x1.8p52 + 2046);
        const V t = x * real<V>(1.4426950408889634) + round;
        n = t - round;
        r = x + n * real<V>(is_single<V> ? -0.693359375 : -6.93145751953125e-1);
        r = r + n * real<V>(is_single<V> ? 2.12194440054690583e-4 : -1.42860682030941723212e-6);
        bits = bits_of(t);
    }
    constexpr V second_order() const {  // (exp(r) - 1 - r) / (r r)
        const auto step = [this](V p, double k) { return p * r + real<V>(k); };
        if constexpr (is_single<V>) {
            const V p = step(real<V>(0.0013926213466332443), 0.0083632029715758549);
            return step(step(step(p, 0.041666554437685939), 0.16666576845993976), 0.5);
        } else {
            V p = step(step(real<V>(2.5100424157005066788e-8), 2.7620138719733995569e-7), 2.7557268378684192873e-6);
            p = step(step(step(p, 2.4801521190217727651e-5), 1.9841269863105968748e-4), 1.3888888917281793308e-3);
            p = step(step(step(p, 8.3333333333300513464e-3), 0.041666666666623991516), 0.16666666666666667456);
            return step(p, 0.5);
        }
    }
    constexpr V scale(Word<V> power) const { return number_of<V>(power << Format<V>::fraction); }
};
)"},
    {"exp", R"(template <class V>
constexpr V exp(V x) {
    const Reduced<V> a(clamp(x, is_single<V> ? -104.5 : -746.0, is_single<V> ? 89.0 : 710.0));
    const V y = (a.second_order() * a.r + V(1)) * a.r + V(1);
    const Word<V> half = a.bits >> 1;  // two factors, because 2^n may be subnormal
    return y * a.scale(half) * a.scale(a.bits - half);
}
)"},
    {"expm1", R"(template <class V>
constexpr V expm1(V x) {
    const Reduced<V> a(clamp(x, is_single<V> ? -30.0 : -60.0, is_single<V> ? 89.0 : 710.0));
    const V p = a.second_order() * (a.r * a.r) + a.r;
    const V half = a.scale(a.bits - (is_single<V> ? 128 : 1024));
    const V y = half * p + (half - real<V>(0.5));
    return x == V(0) ? x : y + y;
}
)"},
    {"tanh", R"(template <class V>
constexpr V tanh(V x) {
    if constexpr (is_single<V>) {
        const V c = clamp(x, -9.02, 9.02), q = c * c;
        const auto step = [q](V p, double k) { return p * q + real<V>(k); };
        const V p = step(step(step(real<V>(1.33827358e-08), 2.06350305e-05), 3.49739962e-03), 0.133826137);
        const V r = step(step(step(real<V>(7.78970104e-07), 3.28844006e-04), 0.025884077), 0.467159331);
        return clamp(c * step(p, 1) / step(r, 1), -1, 1);
    } else {
        const V a = abs(x), q = x * x;
        V y = V(1) - V(2) / (V(1) + exp(clamp(a + a, 0, 60)));
        if (a < real<V>(0.625)) {
            const V p = (q * real<V>(-9.64399179425052238628e-1) - real<V>(9.92877231001918586564e1)) * q -
                        real<V>(1.61468768441708447952e3);
            const V r = ((q + real<V>(1.12811678491632931402e2)) * q + real<V>(2.23548839060100448583e3)) * q +
                        real<V>(4.84406305325125486048e3);
            y = q * p / r * a + a;
        }
        return x < V(0) ? -y : x == V(0) || x != x ? x : y;
    }
}
)"},
    {"sigmoid", R"(template <class V>
constexpr V sigmoid(V x) {
    const V e = exp(-abs(x));
    return (x < V(0) ? e : V(1)) / (V(1) + e);
}
)"},
    {"Binade", R"(template <class V>
struct Binade {  // x = 2^k (1 + f) with 1 + f from sqrt(1/2) to sqrt(2), of a normal number above 0
    V k = 0, f = 0;

    constexpr explicit Binade(V x) {
        constexpr int fraction = Format<V>::fraction;
        constexpr Word<V> root = is_single<V> ? 0x3f3504f3 : static_cast<Word<V>>(0x3fe6a09e667f3bcd);
        const Word<V> shifted = bits_of(x) + (bits_of(V(1)) - root);
        k = number_of<V>((shifted >> fraction) | bits_of(V(Format<V>::whole))) - Format<V>::whole -
            V(is_single<V> ? 127 : 1023);
        f = number_of<V>((shifted & ((Word<V>(1) << fraction) - 1)) + root) - V(1);
    }
    constexpr V log(V exponent, V less) const {  // exponent ln 2 + log(1 + f) - less
        const V s = f / (V(2) + f), z = s * s, half = real<V>(0.5) * f * f;
        const auto step = [z](V p, double c) { return p * z + real<V>(c); };
        V r = 0;
        if constexpr (is_single<V>) {
            r = step(step(step(real<V>(0.24279078841), 0.28498786688), 0.40000972152), 0.66666662693);
        } else {
            r = step(step(real<V>(0.1479819860511658591), 0.1531383769920937332), 0.1818357216161805012);
            r = step(step(r, 0.2222219843214978396), 0.2857142874366239149);
            r = step(step(r, 0.3999999999940941908), 0.6666666666666735130);
        }
        const V small = exponent * real<V>(is_single<V> ? 9.0580006145e-06 : 1.90821492927058770002e-10) +
                        (s * (r * z + half) - less);
        const V large = exponent * real<V>(is_single<V> ? 6.9313812256e-01 : 6.93147180369123816490e-01);
        return large - ((half - small) - f);
    }
};
)"},
    {"log_or_limit", R"(template <class V>
constexpr V log_or_limit(V x, V y) {
    return x > V(0) ? (x == infinity<V> ? x : y) : x == V(0) ? -infinity<V> : not_a_number<V>;
}
)"},
    {"log", R"(template <class V>
constexpr V log(V x) {
    const bool tiny = x < (is_single<V> ? real<V>(0x1p-126) : real<V>(0x1p-1022));
    const Binade<V> b(tiny ? x * Format<V>::whole : x);
    return log_or_limit(x, b.log(b.k - (tiny ? V(Format<V>::fraction) : V(0)), V(0)));
}
)"},
    {"log1p", R"(template <class V>
constexpr V log1p(V x) {
    const V u = V(1) + x;
    const Binade<V> b(u);
    const V added = (x > V(1) ? (u - x) - V(1) : (u - V(1)) - x) / u;
    return log_or_limit(u, b.log(b.k, added));
}
)"},
    {"sqrt", R"(template <class V>
constexpr V sqrt(V x) {  // Newton's method for 1 / sqrt(x), without a library
    const bool tiny = x < real<V>(is_single<V> ? 0x1p-80 : 0x1p-700);
    const V a = tiny ? x * real<V>(is_single<V> ? 0x1p80 : 0x1p700) : x;
    constexpr Word<V> near = is_single<V> ? 0x5f375a86 : static_cast<Word<V>>(0x5fe6eb50c7b537a9);
    V y = number_of<V>(near - (bits_of(a) >> 1));
    for (int i = 0; i < (is_single<V> ? 3 : 4); ++i) y = y * (real<V>(1.5) - real<V>(0.5) * a * y * y);
    const V root = a * y, rest = root + real<V>(0.5) * y * (a - root * root);
    if (x < V(0)) return not_a_number<V>;
    if (x == V(0) || x == infinity<V>) return x;
    return tiny ? rest * real<V>(is_single<V> ? 0x1p-40 : 0x1p-350) : rest;
}
)"},
    {"sine", R"(template <class V>
constexpr V sine(V x, int quarter) {  // sin(x + quarter pi / 2); digits are lost beyond 8000 (float), 1e6 (double)
    constexpr V round = real<V>(is_single<V> ? 0x1.8p23 : 0x1.8p52);
    const V t = x * real<V>(0.63661977236758134) + round, n = t - round;
    V r = 0, s = 0, c = 0;
    if constexpr (is_single<V>) {
        r = x - n * real<V>(0x1.92p0) - n * real<V>(0x1.fbp-12) - n * real<V>(0x1.51p-22);
        r = r - n * real<V>(0x1.0b4611a626331p-34);
    } else {
        r = x - n * real<V>(1.57079632673412561417) - n * real<V>(6.07710050630396597660e-11);
        r = r - n * real<V>(2.02226624879595063154e-21);
    }
    const V z = r * r;
    const auto step = [z](V p, double k) { return p * z + real<V>(k); };
    if constexpr (is_single<V>) {
        s = step(step(real<V>(-1.9515295891e-4), 8.3321608736e-3), -1.6666654611e-1);
        c = step(step(real<V>(2.443315711809948e-5), -1.388731625493765e-3), 4.166664568298827e-2);
    } else {
        s = step(step(real<V>(1.58962301576546568060e-10), -2.50507477628578072866e-8), 2.75573136213857245213e-6);
        s = step(step(step(s, -1.98412698295895385996e-4), 8.33333333332211858878e-3), -1.66666666666666307295e-1);
        c = step(step(real<V>(-1.13585365213876817300e-11), 2.08757008419747316778e-9), -2.75573141792967388112e-7);
        c = step(step(step(c, 2.48015872888517045348e-5), -1.38888888888730564116e-3), 4.16666666666665929218e-2);
    }
    s = s * (z * r) + r;
    const V half = real<V>(0.5) * z, one = V(1) - half;
    c = one + (c * (z * z) + ((V(1) - one) - half));
    const Word<V> quadrant = bits_of(t) + static_cast<Word<V>>(quarter);
    const V y = quadrant % 2 == 0 ? s : c;
    return quarter == 0 && x == V(0) ? x : quadrant / 2 % 2 == 0 ? y : -y;
}
)"},
    {"sin", R"(template <class V>
constexpr V sin(V x) {
    return sine(x, 0);
}
)"},
    {"cos", R"(template <class V>
constexpr V cos(V x) {
    return sine(x, 1);
}
)"},
    {"fmod", R"(template <class V>
constexpr V fmod(V a, V b) {
    const V divisor = abs(b);
    V rest = abs(a);
    if (!(divisor > V(0) && rest < infinity<V>)) return not_a_number<V>;
    while (rest >= divisor) {  // exact: subtracts more than half of the rest
        V part = divisor;
        while (part <= rest * real<V>(0.5)) part += part;
        rest -= part;
    }
    return a < V(0) ? -rest : rest;
}
)"},
};
const Definition after_formulas[] = {
    {"pow", R"(template <class V>
constexpr V pow(V x, V y) {  // in double
    const double a = static_cast<double>(abs(x)), b = static_cast<double>(y);
    const bool whole = round_down(b) == b, odd = whole && round_down(b * 0.5) * 2 != b;
    if (b == 0 || x == V(1)) return V(1);
    if (x < V(0) && !whole && x > -infinity<V>) return not_a_number<V>;
    const double power = a == 1 && b == b ? 1 : exp(b * log(a));
    return static_cast<V>(odd && (bits_of(x) >> (8 * sizeof(V) - 1)) != 0 ? -power : power);
}
)"},
};

/// Formats a text that a macro has put into one line: one statement a line, blocks indented.
std::string laid_out(std::string_view text) {
    std::string out, line;
    int depth = 0, parentheses = 0, braces_of_values = 0;
    const auto end_line = [&] {
        std::string indent(static_cast<std::size_t>(4 * depth), ' ');
        while (indent.size() + line.size() > 116) {
            const std::size_t cut = line.rfind(' ', 112 - indent.size());
            if (cut == std::string::npos || cut < 8) break;
            out += indent + line.substr(0, cut) + '\n';
            line = "    " + line.substr(cut + 1);
        }
        if (!line.empty()) out += indent + line + '\n';
        line.clear();
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == ' ' && line.empty()) continue;
        if (c == '}' && braces_of_values == 0 && parentheses == 0) end_line(), --depth;
        line += c;
        if (c == '(' || c == ')') parentheses += c == '(' ? 1 : -1;
        if (c == '{' && (braces_of_values > 0 || line.ends_with("= {"))) ++braces_of_values;
        else if (c == '}' && braces_of_values > 0) --braces_of_values;
        else if (parentheses > 0) continue;
        else if (c == '{') end_line(), ++depth;
        else if (c == ';' || line == "template <class V>") end_line();
        else if (c == '}' && text.substr(i + 1, 1) != ";" && text.substr(i + 1, 5) != " else") end_line();
    }
    end_line();
    return out;
}

/// Appends the functions and classes of a text of templates.
void append_definitions(std::vector<Definition>& to, std::string_view text) {
    constexpr std::string_view head = "template <class V>";
    for (std::size_t at = text.find(head); at != text.npos;) {
        const std::size_t next = text.find(head, at + head.size());
        const std::string_view one = text.substr(at, next == text.npos ? next : next - at);
        std::string_view before = one.substr(0, one.find_first_of("({"));
        while (before.ends_with(' ')) before.remove_suffix(1);
        to.push_back({std::string(before.substr(before.rfind(' ') + 1)), laid_out(one)});
        at = next;
    }
}

const std::vector<Definition>& all_definitions() {
    static const std::vector<Definition> all = [] {
        std::vector<Definition> list(std::begin(before_formulas), std::end(before_formulas));
        append_definitions(list, formulas);
        list.insert(list.end(), std::begin(after_formulas), std::end(after_formulas));
        append_definitions(list, block_formulas);
        return list;
    }();
    return all;
}

}  // namespace

std::string_view value_text(Operation o) {
    switch (o) {
#define SIGMA_CASE(name, kind, cost, value, ...) \
    case Operation::name: return #value;
        SIGMA_OPERATIONS(SIGMA_NO_ROW, SIGMA_CASE, SIGMA_CASE)
#undef SIGMA_CASE
        default: return {};
    }
}

std::string called_functions(std::string_view text) {
    std::set<std::string_view> called;
    const auto read = [&](std::string_view part) {
        each_word(part, [&](std::string_view word, bool named) {
            if (named) called.insert(word);
        });
    };
    read(text);
    const std::vector<Definition>& all = all_definitions();
    std::vector<std::string_view> used;
    for (auto d = all.rbegin(); d != all.rend(); ++d) {
        if (!called.contains(d->name)) continue;
        read(d->text);
        used.push_back(d->text);
    }
    std::string out;
    for (auto t = used.rbegin(); t != used.rend(); ++t) out.append(*t).append("\n");
    return out;
}

}  // namespace sigma::detail
