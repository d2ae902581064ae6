// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
internal import SocketServing

/// Calls a closure whenever its descriptor can be read.
final class DescriptorReader: DescriptorOwner {
    var watch: DescriptorWatch?
    private let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }

    /// Answers the supervisor's heartbeats on `loop`, and stops `loop` when the supervisor has closed the channel. With
    /// `other`, each answer is sent from that loop, so that it shows that both loops still work.
    static func answering(
        _ heartbeat: MessageChannel,
        on loop: EventLoop,
        after other: EventLoop? = nil
    ) throws(SystemError) -> DescriptorReader {
        let reader = DescriptorReader {
            if heartbeat.receiveSign() {
                if let other { other.execute { heartbeat.sendSign() } } else { heartbeat.sendSign() }
            } else if heartbeat.isAbandoned {
                loop.stop()
            }
        }
        reader.watch = try loop.watch(heartbeat.descriptor, for: .readable, owner: reader)
        return reader
    }

    func descriptorIsReady(_ readiness: Readiness) { body() }

    func loopHasEnded() { if let watch { close(watch.descriptor) } }
}
