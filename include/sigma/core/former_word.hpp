// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace sigma {

/// A public word that has another name now, and another form: what it returned is the name of what is to be written.
/// One of the same form is `[[deprecated("write …")]]`. Each family has them in a header of its own:
/// `former_words.hpp`.
template <class Write>
struct error_word_is_written_otherwise;

}  // namespace sigma
