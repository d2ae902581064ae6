// SPDX-License-Identifier: Apache-2.0

internal import PacketPump

/// When a link has delivered what belongs to a part that has ended, whatever others go on to send: what was sent before, and
/// what is sent in answer to that.
struct PartDelivery {
    /// How long to wait for packets on a slow link.
    static let patience = Duration.seconds(10)
    /// How long a server may take for an answer to what was delivered, while other packets are on the link.
    static let answerTime = Duration.milliseconds(100)
    /// The time between two looks at the link: at first, and at most.
    private static let pauses = (first: Duration.milliseconds(2), longest: Duration.milliseconds(20))

    /// Whether answers may come that the kernel has not sent at once: some process of the part has a socket.
    let mayGetAnswers: Bool
    /// What was sent before the first look was seen before this moment, in nanoseconds.
    private var requests: Int64?
    /// How long after the first look that was delivered; nil as long as it is not.
    private var delivered: Duration?
    /// What was sent in answer was seen before this moment; nil as long as it may not have been sent.
    private var answers: Int64?
    private var nextPause = pauses.first
    /// Packets whose fate is not known although they were sent before the first look.
    private(set) var held = 0

    init(mayGetAnswers: Bool) { self.mayGetAnswers = mayGetAnswers }

    /// How long to wait until the next look; nil if nothing is to be waited for.
    mutating func pause(after state: PumpProcess.CaptureState, at elapsed: Duration) -> Duration? {
        let requests = requests ?? state.settled
        self.requests = requests
        if delivered == nil, state.written.sent >= requests { delivered = elapsed }
        held = delivered == nil ? state.held : 0
        guard state.held > 0, elapsed < Self.patience else { return nil }
        if let delivered {
            if let answers, state.written.sent >= answers { return nil }
            if elapsed >= delivered + (mayGetAnswers ? Self.answerTime : .zero) { answers = answers ?? state.settled }
        }
        defer { nextPause = min(nextPause * 2, Self.pauses.longest) }
        return nextPause
    }
}
