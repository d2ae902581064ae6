// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import LinkProfiles
internal import PacketFaults

/// The route of a flow's packets to the pump: packets that the pump makes take the same.
struct FlowRoute {
    private static let longestLink = 22

    /// The device of the flow's first packet.
    private(set) var input: UInt8 = 0
    /// Whether the low end has sent that packet.
    private(set) var senderIsLow = false
    private var length: UInt8 = 0
    private var bytes = InlineArray<22, UInt8>(repeating: 0)

    init(_ start: UnsafeRawPointer, _ layout: FrameLayout, _ input: Int, senderIsLow: Bool) {
        (self.input, self.senderIsLow) = (UInt8(truncatingIfNeeded: input), senderIsLow)
        length = UInt8(min(Int(layout.network), Self.longestLink))
        for index in 0..<Int(length) { bytes[index] = start.byte(index) }
    }

    /// The link's header of that packet.
    var link: [UInt8] { (0..<Int(length)).map { bytes[$0] } }
}

/// A TCP connection that is open.
struct OpenFlow {
    let opener: FaultEnd
    let other: FaultEnd
    /// The numbers of the next bytes that each of them sends.
    let numbers: (opener: TCPSequence, other: TCPSequence)
    let route: FlowRoute
    /// Whether the packet of the route was the opener's.
    let isSenderOpener: Bool

    /// The connection as faults see it.
    ///
    /// - Parameter isOpenerNear: whether its opener is on the side of the conditioned host.
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
