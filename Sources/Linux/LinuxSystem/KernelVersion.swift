// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A version of Linux.
public struct KernelVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The first number.
    public let major: Int
    /// The second number.
    public let minor: Int

    /// Makes a version.
    public init(_ major: Int, _ minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// Reads the beginning of a release such as "6.1.0-18-amd64".
    public init?(release: String) {
        let numbers = release.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
        guard numbers.count == 2 else { return nil }
        self.init(numbers[0], numbers[1])
    }

    /// The version of the running kernel.
    public static var current: KernelVersion { KernelVersion(release: release) ?? KernelVersion(0, 0) }

    /// The release of the running kernel: uname(2).
    package static var release: String {
        var name = utsname()
        uname(&name)
        return withUnsafeBytes(of: name.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// Compares by major, then by minor number.
    public static func < (left: KernelVersion, right: KernelVersion) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }

    /// Both numbers: "6.1".
    public var description: String { "\(major).\(minor)" }
}
