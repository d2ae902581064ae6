// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Sandboxing

/// Asks the system which addresses a host's name stands for.
enum HostLookup {
    /// The addresses in the order of preference; none where the name is unknown.
    ///
    /// Asked of getent(1): a static program cannot load the system's name services itself.
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
