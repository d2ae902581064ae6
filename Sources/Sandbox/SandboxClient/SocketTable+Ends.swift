// SPDX-License-Identifier: Apache-2.0

package import ClientTraffic
package import LinuxSystem

extension SocketTable.Endpoint {
    /// The address and port as an endpoint: 127.0.0.1:8080, or [2001:db8::1]:80.
    package var endpoint: Endpoint? { address.map { Endpoint($0, port) } }
}

extension SocketTable.Pair {
    package var ends: SocketEnds? {
        guard let client = local.endpoint, let server = remote.endpoint else { return nil }
        return SocketEnds(client, server)
    }
}

extension SocketTable.Entry {
    /// The ends of the socket.
    package var ends: SocketEnds? { pair.ends }
}
