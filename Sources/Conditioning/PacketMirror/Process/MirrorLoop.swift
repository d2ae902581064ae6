// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinkProfiles
internal import LinuxSystem

/// The loop of a mirror's process: shows packets and answers requests until the source or the device is gone, or a
/// signal or a client ends the mirror.
struct MirrorLoop {
    /// The interval of checks whether an interface that went down still exists.
    private static let interval = Duration.milliseconds(100)
    /// The largest number of batches to show after the source ends: as many as fit the socket's buffer.
    private static let lastBatches = 1000

    let source: OpenSource
    let device: MirrorDevice
    let listener: CInt
    let signals: SignalQueue
    let mover: FrameMover
    var report: MirrorReport
    private var clients = WaitingClients()

    init(
        _ source: OpenSource,
        _ device: MirrorDevice,
        _ mover: FrameMover,
        listener: CInt,
        _ signals: SignalQueue,
        _ report: MirrorReport
    ) {
        (self.source, self.device, self.mover, self.report) = (source, device, mover, report)
        (self.listener, self.signals) = (listener, signals)
    }

    /// Runs until the mirror has to end. The connection of a client that requested the end stays open.
    mutating func run() {
        let others = [device.descriptor, listener, signals.descriptor] + [source.end?.descriptor].compactMap { $0 }
        var (mayHaveMore, isDown) = (false, false)
        while true {
            let all = others + clients.descriptors
            Wait.untilReadable([source.packets] + all, limit: mayHaveMore ? .zero : pause(isDown: isDown))
            mayHaveMore = mover.moveFrames()
            // An interface that is deleted goes down first.
            isDown = mover.readInterruption() || isDown
            guard !isDown || lc_bound_interface(source.packets) >= 0 else { break }
            // One call for all descriptors, since this runs for each batch of packets.
            guard clients.deadline != nil || Wait.untilReadable(others, limit: .zero) else { continue }
            guard signals.next() == nil, !Wait.isReadable(device.descriptor) else { break }
            if let end = source.end, Wait.isReadable(end.descriptor), end.hasCome() { break }
            if answerClients() { return }
        }
        for _ in 0..<Self.lastBatches where mover.moveFrames() {}
    }

    /// The longest wait for packets; nil for no limit.
    private func pause(isDown: Bool) -> Duration? {
        let rest = clients.deadline.map { max($0 - BootClock.now, .zero) }
        return isDown ? min(rest ?? Self.interval, Self.interval) : rest
    }

    /// Answers clients whose requests have arrived; returns whether one requested the mirror's end.
    private mutating func answerClients() -> Bool {
        let now = BootClock.now
        if Wait.isReadable(listener) { clients.accept(from: listener, at: now) }
        for (client, request) in clients.receive(at: now) {
            if request == .stop { return true }
            report.packets = mover.packets
            report.dropped = mover.readDropped()
            let bytes = Array(report.json.text.utf8)
            _ = send(client, bytes, bytes.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
            close(client)
        }
        return false
    }
}
