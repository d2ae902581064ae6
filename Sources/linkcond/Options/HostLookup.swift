// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Sandboxing

/// Resolves host names by the system's name services.
enum HostLookup {
    /// The addresses in order of preference; empty if the name is unknown.
    ///
    /// Uses getent(1), since a static program cannot load the system's name services.
    static func addresses(of name: String) -> [String] {
        guard !name.isEmpty, !name.hasPrefix("-") else { return [] }
        var addresses: [String] = []
        for line in SystemQuery.lines(["getent", "ahosts", name]) {
            guard let address = line.split(separator: " ").first.map(String.init), !addresses.contains(address) else {
                continue
            }
            addresses.append(address)
        }
        return addresses
    }
}
