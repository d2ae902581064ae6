// SPDX-License-Identifier: Apache-2.0

/// A client's traffic beyond the memory for it: only counts.
package struct UnkeptTraffic: Hashable, Sendable {
    /// Attempts to connect, over TCP and QUIC; one that is sent again may count twice.
    package var connections = 0
    package var requests = 0
    package var nameQueries = 0
    package var retransmissions = 0
    /// Bytes of IP packets of connections that are not kept, those that strangers opened among them.
    package var bytes = 0
    /// Packets of connections that are kept.
    package var packets = 0

    package init() {}
}
