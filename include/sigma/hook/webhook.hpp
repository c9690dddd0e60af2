// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Reports to a web address: webhook. Include it yourself. It needs component `data`, for libcurl.
#include <sigma/hook/notify.hpp>

#include <string>

namespace sigma {

/// Options of `webhook`.
///
/// @see webhook
struct WebhookOptions {
    std::string field = "text";  ///< Field of the JSON object with the line. If empty, the body is the line itself.
    double timeout = 10;         ///< Seconds after which a request fails, above 0.
    std::string certificates{};  ///< File with certificates of authorities. Default: those of the system.
};

/// Returns a destination for `report(…).to(…)`: sends each line to a web address, as chat services take messages.
///
/// The request is a POST with the JSON object `{"text": "epoch 3  accuracy 0.95"}`, as Slack, Mattermost and Microsoft
/// Teams take it. Discord takes the field `content`, ntfy the line itself (`.field = ""`). Redirects are not followed.
/// If the reply has another status than 200 to 299, the report throws Error, which ends the run as a HookError.
/// `.on_error(OnError::report)` prints the error instead. Errors and texts of hooks contain only the host of the
/// address, since such addresses are secrets.
/// @param address  an address of https or http
/// @param options  format and timeout
/// @return the destination, for `report(…).to(…)`
/// @throws ArgumentError  if the address is not one of https or http, or an option is out of range
///
/// @par Example
/// @code
/// // #include <sigma/hook/webhook.hpp>
/// trainer.add(every(1, epoch)
///                 .then(report(epoch, error).to(webhook("https://example.org/hook", {.field = "content"})))
///                 .in_background()
///                 .on_error(OnError::report));
/// @endcode
///
/// @see command, sound, report
Notification webhook(std::string address, WebhookOptions options = {});

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/webhook.ipp>
#endif
