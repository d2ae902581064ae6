// SPDX-License-Identifier: Apache-2.0

import Sandboxing

/// The note before loopback is conditioned.
enum LoopbackServicesNote {
    /// Lists the services that conditions on loopback will affect.
    static func show(_ device: String) {
        let ports = LoopbackServices.ports()
        guard !ports.isEmpty else { return }
        let list = ports.prefix(5).map(String.init).joined(separator: ", ")
        let rest = ports.count > 5 ? " and \(ports.count - 5) more" : ""
        Console.notes("note: \(ports.count) services are reachable through \(device), at TCP port \(list)\(rest)")
    }
}
