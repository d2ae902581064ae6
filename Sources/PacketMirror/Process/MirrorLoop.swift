// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinkProfiles
internal import LinuxSystem

/// The work of a mirror's process: it shows packets and answers requests until the source or the device is gone, or it
/// is told to stop.
struct MirrorLoop {
    /// How often it looks whether an interface that was down is still there.
    private static let interval = Duration.milliseconds(100)
    /// The batches that may wait when the source ends, as many as fit the socket's buffer.
    private static let lastBatches = 1000

    let source: OpenSource
    let device: MirrorDevice
    let listener: CInt
    let signals: SignalQueue
    let mover: FrameMover
    var report: MirrorReport

    /// Returns when the mirror has to end. The connection of a client that waits for that stays open.
    mutating func run() {
        let others = [device.descriptor, listener, signals.descriptor] + [source.end?.descriptor].compactMap { $0 }
        var (mayHaveMore, isDown) = (false, false)
        while true {
            Wait.untilReadable([source.packets] + others, limit: mayHaveMore ? .zero : isDown ? Self.interval : nil)
            mayHaveMore = mover.moveFrames()
            // An interface that is deleted goes down first.
            isDown = mover.readInterruption() || isDown
            guard !isDown || lc_bound_interface(source.packets) >= 0 else { break }
            // One call for all, since there may be many packets.
            guard Wait.untilReadable(others, limit: .zero) else { continue }
            guard signals.next() == nil, !Wait.isReadable(device.descriptor) else { break }
            if let end = source.end, Wait.isReadable(end.descriptor), end.hasCome() { break }
            if Wait.isReadable(listener), answerClient() { return }
        }
        for _ in 0..<Self.lastBatches where mover.moveFrames() {}
    }

    /// Answers one client; returns whether it wants the mirror to end.
    private mutating func answerClient() -> Bool {
        let client = lc_accept(listener)
        guard client >= 0 else { return false }
        // Other users get the report whatever they ask for. One that says nothing must not hold up the packets; root
        // and this user may, for this long.
        MirrorAddress.limitWaits(client, seconds: 1)
        var byte = MirrorRequest.report.rawValue
        if MirrorAddress.isTrusted(client), recv(client, &byte, 1, 0) != 1 { byte = 0 }
        switch MirrorRequest(rawValue: byte) {
        case .stop: return true
        case .report:
            report.packets = mover.packets
            report.dropped = mover.readDropped()
            let bytes = Array(report.json.text.utf8)
            _ = send(client, bytes, bytes.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
        case nil: break
        }
        close(client)
        return false
    }
}
