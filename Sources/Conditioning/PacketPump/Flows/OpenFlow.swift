// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import LinkProfiles
internal import PacketFaults

/// The route by which a flow's packets reach the pump; packets that the pump makes for the flow take the same route.
struct FlowRoute {
    private static let longestLink = 22

    /// The device of the flow's first packet.
    private(set) var input: UInt8 = 0
    /// Whether the low end of the flow's key sent the first packet.
    private(set) var senderIsLow = false
    private var length: UInt8 = 0
    private var bytes = InlineArray<22, UInt8>(repeating: 0)

    init(_ start: UnsafeRawPointer, _ layout: FrameLayout, _ input: Int, senderIsLow: Bool) {
        (self.input, self.senderIsLow) = (UInt8(truncatingIfNeeded: input), senderIsLow)
        length = UInt8(min(Int(layout.network), Self.longestLink))
        for index in 0..<Int(length) { bytes[index] = start.byte(index) }
    }

    /// The link-layer header of the flow's first packet.
    var link: [UInt8] { (0..<Int(length)).map { bytes[$0] } }
}

/// A TCP connection that is open.
struct OpenFlow {
    let opener: FaultEnd
    let other: FaultEnd
    /// The sequence number of the next byte that each end sends.
    let numbers: (opener: TCPSequence, other: TCPSequence)
    let route: FlowRoute
    /// Whether the opener sent the packet that `route` describes.
    let isSenderOpener: Bool

    /// The connection as faults see it.
    ///
    /// - Parameter isOpenerNear: whether the opener is on the side of the conditioned host.
    func connection(isOpenerNear: Bool) -> OpenConnection {
        OpenConnection(
            near: isOpenerNear ? opener : other,
            far: isOpenerNear ? other : opener,
            opener: isOpenerNear ? .uplink : .downlink,
            uplinkNumber: isOpenerNear ? numbers.opener : numbers.other,
            downlinkNumber: isOpenerNear ? numbers.other : numbers.opener
        )
    }
}
