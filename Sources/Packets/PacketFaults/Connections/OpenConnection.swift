// SPDX-License-Identifier: Apache-2.0

package import CapturedPackets
package import LinkProfiles

/// A TCP connection that both ends have open, as what was sent on it shows.
package struct OpenConnection: Hashable, Sendable {
    /// The end on the conditioned host's side, or that which opened the connection on loopback.
    package var near: FaultEnd
    /// The other end's address and port.
    package var far: FaultEnd
    /// The direction of what its opener sends.
    package var opener: Direction
    /// The number of the next byte that the near end sends.
    package var uplinkNumber: TCPSequence
    /// The number of the next byte that the far end sends.
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

/// A connection that a fault ends, because it is idle.
package struct IdleConnection: Hashable, Sendable {
    package let near: FaultEnd
    package let far: FaultEnd
    /// The index of the fault.
    let fault: Int
}
