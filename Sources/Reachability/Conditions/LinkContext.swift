// SPDX-License-Identifier: Apache-2.0

/// Facts about this host's links that the kernel does not report.
public struct LinkContext: Hashable, Sendable {
    /// The conditions that hold on an interface, by its name.
    public var conditions: [String: PathConditions] = [:]
    /// The interface of a sandbox's uplink, whose connections a program terminates and opens again; nil if there is none.
    public var uplink: String?

    /// No such facts.
    public init() {}

    /// "uplink" if a program terminates connections over `path`.
    func via(_ path: Path?) -> String? {
        guard let uplink, path?.interface == uplink else { return nil }
        return "uplink"
    }
}
