// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/reader/csv_scanner.hpp>

#include <algorithm>
#include <bit>
#include <utility>

namespace sigma::data::detail {

SIGMA_IMPL CsvBuffer::CsvBuffer(std::unique_ptr<ByteStream> stream, std::string file, std::size_t piece)
    : stream_(std::move(stream)), file_(std::move(file)), piece_(std::max(piece, std::size_t{8})) {}

SIGMA_IMPL bool CsvBuffer::advance(std::size_t used) {
    if (ended_) return false;
    if (!begun_) stream_ = as_utf8(plain_text(std::move(stream_), file_), file_);
    const std::size_t kept = size_ - used;
    if (kept == capacity_) {
        const std::size_t larger = std::max(2 * capacity_, piece_);
        std::unique_ptr<char[]> memory(new char[front + larger + 1 + padding]);
        std::memset(memory.get(), 0, front);
        if (kept > 0) std::memcpy(memory.get() + front, data() + used, kept);
        memory_ = std::move(memory);
        capacity_ = larger;
    } else {
        std::memmove(text(), data() + used, kept);
    }
    size_ = kept;
    while (size_ < capacity_ && !ended_) {
        const std::size_t count = stream_->read(std::as_writable_bytes(std::span(text() + size_, capacity_ - size_)));
        ended_ = count == 0;
        size_ += count;
    }
    if (!begun_) size_ -= begin();
    begun_ = true;
    const bool any = size_ > 0;
    if (ended_ && any) text()[size_++] = '\n';
    std::memset(text() + size_, 0, padding);
    return any;
}

SIGMA_IMPL std::size_t CsvBuffer::begin() {
    std::string_view rest(data(), size_);
    if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
    const std::string_view line = rest.substr(0, rest.find_first_of("\r\n"));
    if (line.size() == 5 && line.starts_with("sep=") && rest.size() > 5) {
        separator_ = line[4];
        rest.remove_prefix(rest.substr(5).starts_with("\r\n") ? 7 : 6);
    }
    const std::size_t used = size_ - rest.size();
    if (used > 0) std::memmove(text(), rest.data(), rest.size());
    return used;
}

SIGMA_IMPL const std::uint32_t* CsvMarks::find(const char* bytes, std::size_t size) {
    std::size_t count = 0;
    for (std::size_t at = 0; at < size; at += block) {
        if (positions_.size() < count + 2 * block) positions_.resize(2 * positions_.size() + 4 * block);
        std::uint64_t bits = mask(bytes + at);
        const auto found = static_cast<std::size_t>(std::popcount(bits));
        std::uint32_t* to = positions_.data() + count;
        const auto base = static_cast<std::uint32_t>(at);
        // Writes 8 positions at once, though there may be fewer. The next positions overwrite the rest.
        for (std::size_t done = 0; done < found; done += 8)
            for (std::size_t i = 0; i < 8; ++i) {
                to[done + i] = base + static_cast<std::uint32_t>(std::countr_zero(bits));
                bits &= bits - 1;
            }
        count += found;
    }
    if (positions_.size() < count + 4) positions_.resize(count + 4 * block);
    for (std::size_t i = 0; i < 4; ++i) positions_[count + i] = static_cast<std::uint32_t>(size);
    return positions_.data();
}

SIGMA_IMPL CsvScanner::CsvScanner(std::unique_ptr<ByteStream> stream, std::string file, const CsvFormat& format,
                                  std::size_t piece)
    : buffer_(std::move(stream), file, piece), file_(std::move(file)), format_(format), finder_({}) {
    set_separator();
}

SIGMA_IMPL void CsvScanner::set_separator() {
    examine(format_);
    const char separator = format_.separator;
    merge_ = separator == blanks;
    quoting_ = format_.quote != '\0';
    quote_ = quoting_ ? format_.quote : separator == '\1' ? '\2' : '\1';
    finder_ = CsvMarks({merge_ ? ' ' : separator, merge_ ? '\t' : separator, quoting_ ? quote_ : '\n', '\n', '\r'});
}

SIGMA_IMPL bool CsvScanner::next() {
    while (true) {
        const Cut found = cut();
        if (found == Cut::record && accept()) return true;
        if (found == Cut::incomplete && !read_on()) return false;
    }
}

SIGMA_IMPL void CsvScanner::fail(std::size_t column, std::string expected, std::string found) const {
    const char* const from = buffer_.data() + record_;
    fail_at(from, column == 0 || column > count_ ? from : fields_[column - 1].data(), column, std::move(expected),
            std::move(found));
}

SIGMA_IMPL void CsvScanner::fail_at(const char* record, const char* at, std::size_t column, std::string expected,
                                    std::string found) const {
    std::size_t line = line_;
    for (; record < at; ++record) line += *record == '\n' || (*record == '\r' && record[1] != '\n') ? 1 : 0;
    std::string place = sentence("line ", line);
    if (column != 0) place += sentence(", column ", column);
    throw DataError(file_, std::move(place), std::move(expected), std::move(found));
}

SIGMA_IMPL void CsvScanner::add(const char* first, const char* last) {
    if (count_ == fields_.size()) {
        if (count_ >= format_.most_columns) fail(0, sentence("at most ", format_.most_columns, " columns"), "more");
        fields_.resize(std::min(2 * count_ + 16, format_.most_columns));
    }
    fields_[count_++] = {first, static_cast<std::size_t>(last - first)};
}

SIGMA_IMPL void CsvScanner::pass_over_empty() {
    const char* const base = buffer_.data();
    const std::size_t size = buffer_.size();
    const bool blanks_too = merge_ || format_.trim;
    std::size_t at = next_;
    while (at < size) {
        if (blanks_too)
            while (is_blank(base[at])) ++at;
        if (base[at] != '\n' && (base[at] != '\r' || at + 1 == size)) break;
        while (marks_[mark_] < at) ++mark_;
        mark_ += base[at] == '\r' && base[at + 1] == '\n' ? 2 : 1;
        at += base[at] == '\r' && base[at + 1] == '\n' ? 2 : 1;
        next_ = at;
        ++next_line_;
    }
}

SIGMA_IMPL CsvScanner::Cut CsvScanner::cut() {
    const char* const base = buffer_.data();
    const std::size_t size = buffer_.size();
    if (next_ < size && static_cast<unsigned char>(base[next_]) <= ' ') pass_over_empty();
    record_ = next_;
    line_ = next_line_;
    count_ = inner_ = 0;
    open_ = nullptr;
    any_quoted_ = false;
    escaped_.clear();
    after_quote_ = {};
    if (record_ == size) return Cut::incomplete;
    const std::uint32_t* mark = marks_ + mark_;
    const char* at = base + record_;
    if (is_passed_over(at)) {
        while (*mark < size && base[*mark] != '\n' && base[*mark] != '\r') ++mark;
        return end(mark) ? Cut::nothing : Cut::incomplete;
    }
    while (true) {
        if (!merge_ && cut_plain(at, mark)) return end(mark) ? Cut::record : Cut::incomplete;
        if (merge_) {
            while (is_blank(*at)) ++at;
            while (base + *mark < at) ++mark;
            if (*at == '\n' || *at == '\r') return end(mark) ? Cut::record : Cut::incomplete;
        } else if (format_.trim) {
            while (is_blank(*at)) ++at;
        }
        if (quoting_ && *at == quote_) {
            if (!cut_quoted(at, mark)) return Cut::incomplete;
        } else {
            while (base[*mark] == quote_) ++mark;
            const char* last = base + *mark;
            if (format_.trim)
                while (last > at && is_blank(last[-1])) --last;
            add(at, last);
        }
        if (*mark == size) return Cut::incomplete;
        at = base + *mark;
        if (*at == '\n' || *at == '\r') return end(mark) ? Cut::record : Cut::incomplete;
        ++at;
        ++mark;
    }
}

SIGMA_IMPL bool CsvScanner::cut_plain(const char*& at, const std::uint32_t*& mark) {
    const char* const base = buffer_.data();
    const char quote = quote_, separator = format_.separator;
    std::string_view* field = fields_.data() + count_;
    std::string_view* const no_field = fields_.data() + fields_.size();
    bool at_end = false;
    while (field != no_field) {
        const char* const last = base + *mark;
        if (*at == quote || *last == quote || static_cast<unsigned char>(*at) <= ' ' ||
            static_cast<unsigned char>(last[-1]) <= ' ') {
            if (at != last || *last == quote) break;  // an empty field is plain, too
        }
        *field++ = {at, static_cast<std::size_t>(last - at)};
        at_end = *last != separator;
        if (at_end) break;
        at = last + 1;
        ++mark;
    }
    count_ = static_cast<std::size_t>(field - fields_.data());
    return at_end;
}

SIGMA_IMPL bool CsvScanner::is_passed_over(const char* at) const {
    if (line_ <= format_.skip_lines) return true;
    if (format_.comment == '\0') return false;
    while (is_blank(*at)) ++at;
    return *at == format_.comment;
}

SIGMA_IMPL bool CsvScanner::end(const std::uint32_t* mark) {
    const char* const base = buffer_.data();
    std::size_t at = *mark;
    if (at >= buffer_.size()) return false;
    if (base[at] == '\r') {
        if (++at == buffer_.size()) return false;
        if (base[at] == '\n') ++mark;
        else --at;
    }
    next_ = at + 1;
    mark_ = static_cast<std::size_t>(mark - marks_) + 1;
    next_line_ = line_ + inner_ + 1;
    return true;
}

SIGMA_IMPL bool CsvScanner::cut_quoted(const char* quote, const std::uint32_t*& mark) {
    const char* const base = buffer_.data();
    const std::size_t size = buffer_.size();
    bool doubled = false;
    any_quoted_ = true;
    open_ = quote;
    while (base + *mark < quote) ++mark;
    for (++mark;; ++mark) {
        if (*mark == size || *mark + 1 == size) return false;
        const char* const at = base + *mark;
        if (*at == quote_) {
            if (at[1] != quote_) break;
            doubled = true;
            ++mark;
        } else if (*at == '\n' || (*at == '\r' && at[1] != '\n')) {
            ++inner_;
        }
    }
    open_ = nullptr;
    if (doubled) escaped_.push_back(count_);
    add(quote + 1, base + *mark);
    const char* after = base + *mark + 1;
    for (++mark; base[*mark] == quote_;) ++mark;
    if (!merge_ && format_.trim)
        while (is_blank(*after)) ++after;
    const char* last = base + *mark;
    if (after < last && after_quote_.empty()) {
        while (is_blank(last[-1])) --last;
        after_quote_ = {after, static_cast<std::size_t>(last - after)};
        after_column_ = count_;
    }
    return true;
}

SIGMA_IMPL bool CsvScanner::accept() {
    if (count_ == 0 || (count_ == 1 && fields_[0].empty() && !any_quoted_)) return false;
    const std::size_t bytes = next_ - record_;
    if (bytes > format_.longest_record) refuse_length(buffer_.data() + record_);
    if (bytes > format_.longest_field)
        for (std::size_t c = 0; c < count_; ++c)
            if (fields_[c].size() > format_.longest_field)
                fail(c + 1, sentence("at most ", format_.longest_field, " bytes"), sentence(fields_[c].size()));
    const bool ragged = columns_ != 0 && count_ != columns_;
    if (ragged || !after_quote_.empty()) {
        if (format_.skip_malformed) {
            ++skipped_;
            return false;
        }
        if (!after_quote_.empty())
            fail(after_column_, "a separator after the closing quote", storage::quotation(after_quote_));
        fail(0, sentence(columns_, " columns as in the first line"), sentence(count_));
    }
    columns_ = count_;
    for (const std::size_t c : escaped_) undouble(fields_[c]);
    return true;
}

SIGMA_IMPL void CsvScanner::undouble(std::string_view& field) {
    char* const first = const_cast<char*>(field.data());  // in the buffer
    char* to = first;
    for (std::size_t i = 0; i < field.size(); ++i, ++to) {
        *to = first[i];
        if (first[i] == quote_) ++i;
    }
    const auto size = static_cast<std::size_t>(to - first);
    std::fill(to, first + field.size(), quote_);
    field = {first, size};
}

SIGMA_IMPL bool CsvScanner::read_on() {
    const char* const record = buffer_.data() + record_;
    const std::size_t kept = buffer_.size() - record_;
    if (kept > format_.longest_record) refuse_length(record);
    const bool first = marks_ == nullptr;
    const bool more = buffer_.advance(record_);
    if (const char separator = buffer_.separator(); first && separator != '\0') {
        format_.separator = separator;
        try {
            set_separator();
        } catch (const ArgumentError& refused) { throw DataError(file_, "line 1", refused.expected, refused.found); }
        next_line_ = 2;
    }
    if (!more) {
        if (open_ != nullptr) fail_at(record, open_, count_ + 1, "a closing quote", "the end of the file");
        return false;
    }
    next_ = mark_ = 0;
    marks_ = finder_.find(buffer_.data(), buffer_.size());
    return true;
}

SIGMA_IMPL void CsvScanner::refuse_length(const char* record) const {
    if (open_ != nullptr)
        fail_at(record, open_, count_ + 1, sentence("a closing quote within ", format_.longest_record, " bytes"),
                "none");
    fail_at(record, record, 0, sentence("a record of at most ", format_.longest_record, " bytes"), "more");
}

}  // namespace sigma::data::detail
