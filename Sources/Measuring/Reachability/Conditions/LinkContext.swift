// SPDX-License-Identifier: Apache-2.0

/// Facts about this host's links that the kernel does not report.
public struct LinkContext: Hashable, Sendable {
    /// The conditions on each interface, by its name.
    public var conditions: [String: PathConditions] = [:]
    /// The interfaces of a sandbox's uplinks, where a program terminates connections and opens new ones.
    public var uplinks: Set<String> = []

    /// Makes a context without facts.
    public init() {}

    /// "uplink" if a program terminates connections over `path`; else nil.
    func via(_ path: Path?) -> String? {
        path?.interface.map(uplinks.contains) == true ? "uplink" : nil
    }
}
