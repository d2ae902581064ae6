// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

/// A recording of a profile that cannot be used.
public struct UnusableTrace: Error, Hashable, CustomStringConvertible {
    /// The path of its name in the profile.
    public let path: JSONPath
    /// Why its file cannot be read; nil if the file is malformed.
    public let unreadable: UnreadableFile?
    /// The file and the reason.
    public let reason: String

    init(path: JSONPath, _ error: UnreadableFile) {
        self.path = path
        unreadable = error
        reason = "cannot read \(error)"
    }

    init(path: JSONPath, file: String, _ error: Trace.Malformed) {
        self.path = path
        unreadable = nil
        reason = "\(file.escapingControls()): \(error)"
    }

    /// The path in the profile, the file and the reason.
    public var description: String { "\(path): \(reason)" }
}
