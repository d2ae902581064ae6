// SPDX-License-Identifier: Apache-2.0

/// Why a capture file cannot be read further. What came before is sound.
public struct MalformedCapture: Error, Hashable, CustomStringConvertible, Sendable {
    /// Where in the file, in bytes from its start.
    public let offset: Int
    /// What is wrong there.
    public let problem: String

    /// "at byte 24: ..."
    public var description: String { "at byte \(offset): \(problem)" }
}
