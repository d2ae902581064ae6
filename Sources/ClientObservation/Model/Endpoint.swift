// SPDX-License-Identifier: Apache-2.0

package import InternetAddresses

/// An address and a port.
package struct Endpoint: Hashable, Sendable {
    /// The address.
    package var address: IPAddress
    /// The port of TCP or UDP.
    package var port: UInt16

    /// The endpoint at `address` and `port`.
    package init(_ address: IPAddress, _ port: UInt16) {
        (self.address, self.port) = (address, port)
    }
}

extension Endpoint: CustomStringConvertible {
    /// "192.0.2.1:80", or "[2001:db8::1]:80".
    package var description: String {
        address.family == .ipv4 ? "\(address):\(port)" : "[\(address)]:\(port)"
    }
}
