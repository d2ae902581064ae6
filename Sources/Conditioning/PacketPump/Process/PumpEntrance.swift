// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinkRules
package import LinuxSystem

/// How clients reach the pump of a TAP device.
package enum PumpEntrance: Sendable {
    /// Through the sockets of the interface that the device belongs to; nil if there can be none.
    case sockets(@Sendable (_ tap: String) -> PumpSockets?)
    /// Over a channel to the pump's process, which passes on a connection for each request. Only a process that has the
    /// channel can command the pump.
    case channel(MessageChannel)

    /// Connects to the pump that serves `tap` in the network that the calling thread is in.
    ///
    /// - Throws: `gone` if there is no such pump; `silent` if it accepts no connection; `refused` without descriptors.
    func connect(to tap: String) throws(PumpFailure) -> MessageChannel {
        switch self {
        case .sockets(let find):
            guard let sockets = find(tap) else { throw .gone }
            return try sockets.connect(to: tap)
        case .channel(let channel):
            guard let (mine, theirs) = try? MessageChannel.pair() else {
                throw .refused("cannot ask the process that carries the conditions: there are no descriptors")
            }
            mine.limitWaits(seconds: 2)
            let result = channel.send(descriptor: theirs.descriptor)
            theirs.close()
            guard result != 0 else { return mine }
            mine.close()
            throw result == -EAGAIN ? .silent : .gone
        }
    }
}
