// SPDX-License-Identifier: Apache-2.0

/// Counts of a client's traffic that is not kept for lack of memory.
package struct UnkeptTraffic: Hashable, Sendable {
    /// Attempts to connect, over TCP and QUIC; a retransmitted one may count twice.
    package var connections = 0
    package var requests = 0
    package var nameQueries = 0
    package var retransmissions = 0
    /// Bytes of IP packets of connections that are not kept, including connections that other hosts opened.
    package var bytes = 0
    /// Packets that are not kept although their connection is.
    package var packets = 0

    package init() {}
}
