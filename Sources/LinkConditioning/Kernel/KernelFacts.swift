// SPDX-License-Identifier: Apache-2.0

/// Facts about the machine that decide what can be asked of it.
public struct KernelFacts: Hashable, Sendable {
    /// The kernel's version.
    public var version: KernelVersion
    /// The ports from which the kernel takes those that nobody names (ip(7), `ip_local_port_range`).
    public var ephemeralPorts: ClosedRange<UInt16>

    /// Makes facts.
    public init(version: KernelVersion, ephemeralPorts: ClosedRange<UInt16> = 32768...60999) {
        self.version = version
        self.ephemeralPorts = ephemeralPorts
    }
}

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

    /// Compares by major, then by minor number.
    public static func < (left: KernelVersion, right: KernelVersion) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }

    /// Both numbers: "6.1".
    public var description: String { "\(major).\(minor)" }

    /// The first with a seed for netem.
    static let netemSeed = KernelVersion(6, 6)
}
