// SPDX-License-Identifier: Apache-2.0

package import CapturedPackets
package import LinkProfiles

/// A TCP connection that is open at both ends, according to the packets sent on it.
package struct OpenConnection: Hashable, Sendable {
    /// The end on the conditioned host's side; on loopback, the end that opened the connection.
    package var near: FaultEnd
    /// The other end's address and port.
    package var far: FaultEnd
    /// The direction in which the opener of the connection sends.
    package var opener: Direction
    /// The sequence number of the next byte that the near end sends.
    package var uplinkNumber: TCPSequence
    /// The sequence number of the next byte that the far end sends.
    package var downlinkNumber: TCPSequence

    package init(
        near: FaultEnd,
        far: FaultEnd,
        opener: Direction,
        uplinkNumber: TCPSequence,
        downlinkNumber: TCPSequence
    ) {
        (self.near, self.far, self.opener) = (near, far, opener)
        (self.uplinkNumber, self.downlinkNumber) = (uplinkNumber, downlinkNumber)
    }
}

/// A connection that a fault ends because the connection is idle.
package struct IdleConnection: Hashable, Sendable {
    package let near: FaultEnd
    package let far: FaultEnd
    /// The index of the fault.
    let fault: Int
}
