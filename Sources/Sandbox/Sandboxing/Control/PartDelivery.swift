// SPDX-License-Identifier: Apache-2.0

internal import PacketPump

/// Decides when a link has delivered the packets of a part that has ended, and the packets sent in answer to them, even
/// if other clients go on to send.
struct PartDelivery {
    /// The longest time to wait for packets on a slow link.
    static let deliveryTimeout = Duration.seconds(10)
    /// The time for a server to answer a delivered packet, while other packets are on the link.
    static let answerTime = Duration.milliseconds(100)
    /// The time between two looks at the link: the first, and the longest.
    private static let pauses = (first: Duration.milliseconds(2), longest: Duration.milliseconds(20))

    /// Whether answers may come that the kernel does not send at once: some process of the part has a socket.
    let mayGetAnswers: Bool
    /// Packets sent before the first look were seen before this moment, in nanoseconds.
    private var requests: Int64?
    /// The time from the first look until the packets that were sent before it were delivered; nil before that.
    private var delivered: Duration?
    /// Packets sent in answer were seen before this moment, in nanoseconds; nil while answers may still be sent.
    private var answers: Int64?
    private var nextPause = pauses.first
    /// The number of packets whose fate is not known although they were sent before the first look.
    private(set) var held = 0

    init(mayGetAnswers: Bool) { self.mayGetAnswers = mayGetAnswers }

    /// Returns the time until the next look; nil if there is nothing to wait for.
    mutating func pause(after state: PumpProcess.CaptureState, at elapsed: Duration) -> Duration? {
        let requests = requests ?? state.settled
        self.requests = requests
        if delivered == nil, state.written.sent >= requests { delivered = elapsed }
        held = delivered == nil ? state.held : 0
        guard state.held > 0, elapsed < Self.deliveryTimeout else { return nil }
        if let delivered {
            if let answers, state.written.sent >= answers { return nil }
            if elapsed >= delivered + (mayGetAnswers ? Self.answerTime : .zero) { answers = answers ?? state.settled }
        }
        defer { nextPause = min(nextPause * 2, Self.pauses.longest) }
        return nextPause
    }
}
