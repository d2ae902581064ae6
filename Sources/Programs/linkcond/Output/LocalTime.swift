// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Times of day where the user is.
enum LocalTime {
    /// Writes a time in seconds since 1970, as strftime(3) does.
    static func text(_ seconds: Int, _ format: String = "%Y-%m-%d %H:%M:%S") -> String {
        var (seconds, parts) = (time_t(seconds), tm())
        localtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let count = strftime(&text, text.count, format, &parts)
        return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
