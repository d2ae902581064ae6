// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// The source of a mirror: one interface, or all interfaces of a network.
package struct MirrorSource: Hashable, Sendable, CustomStringConvertible {
    /// The interface; nil for all interfaces of the network.
    package var interface: String?
    /// The network; nil for the calling thread's network namespace.
    package var network: NetworkNamespace?

    package init(interface: String?, network: NetworkNamespace?) {
        (self.interface, self.network) = (interface, network)
    }

    /// The source, for messages: "eth0", "the network namespace blue", "eth0 of the network namespace blue".
    package var description: String {
        switch (interface, network) {
        case (let interface?, let network?): "\(interface) of \(network)"
        case (let interface?, nil): interface
        case (nil, let network?): "\(network)"
        case (nil, nil): "this network"
        }
    }
}
