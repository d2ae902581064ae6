// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Formats times in the local time zone.
enum LocalTime {
    /// Formats a time in seconds since 1970 with strftime(3).
    static func text(_ seconds: Int, _ format: String = "%Y-%m-%d %H:%M:%S") -> String {
        var (seconds, parts) = (time_t(seconds), tm())
        localtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let count = strftime(&text, text.count, format, &parts)
        return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
