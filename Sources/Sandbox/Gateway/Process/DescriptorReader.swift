// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
internal import SocketServing

/// Calls back when its descriptor can be read.
final class DescriptorReader: DescriptorOwner {
    var watch: DescriptorWatch?
    private let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }

    /// Answers the supervisor's questions whether the process still works, on `loop`; where the process has another loop, once that
    /// has done what it had to, too.
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
