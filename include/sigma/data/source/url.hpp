// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/source/file.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/data/source/url_options.hpp>
#include <sigma/storage/error.hpp>

#include <string>

namespace sigma::data {

/// Whether the environment variable SIGMA_OFFLINE forbids downloads: it is set, and not to 0.
bool downloads_are_off();

/// The bytes that an address of http, https or file stands for, the former downloaded into a cache when they are first
/// opened, and taken from there ever after. Mirrors are url(a) | url(b). Throws ArgumentError where the address is
/// none; opening throws DownloadError, CanceledError, and StorageError where the cache cannot be written.
Source url(const std::string& address, UrlOptions options = {});

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/source/impl/url.ipp>
#endif
