// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
internal import PacketPump

/// A process that waits, and removes the rule of a pump if its guardian is killed: the pump, which parses packets, has no
/// privileges to do so. The guardian is its parent, and removes the rule if it is killed.
struct StandbyGuardian {
    let process: HelperProcess
    /// Readable when the process has ended.
    let channel: MessageChannel

    /// Starts the process, from the guardian.
    ///
    /// - Parameters:
    ///   - pump: the guardian's end of the pump's channel, which this process keeps open, too: the pump carries packets
    ///     until both are gone.
    ///   - interface: the interface's name.
    ///   - locksMemory: whether to keep the process's pages in memory.
    ///   - sockets: those of the pump, which are deleted with it.
    ///   - makeLoop: makes the loop that removes the rule.
    static func start(
        keeping pump: MessageChannel,
        of interface: String,
        locksMemory: Bool,
        sockets: PumpSockets?,
        _ makeLoop: () -> GuardianLoop
    ) throws(SystemError) -> StandbyGuardian {
        let (mine, theirs) = try MessageChannel.pair()
        let process = try HelperProcess.start(
            "lc-standby",
            "takes the place of the guardian of \(interface)",
            keeping: [theirs, pump],
            signals: .inherited()
        ) {
            if locksMemory { LockedMemory.lock() }
            Wait.untilReadable([theirs.descriptor])
            makeLoop().endNow()
            sockets?.removeUnused()
            _exit(0)
        }
        theirs.close()
        return StandbyGuardian(process: process, channel: mine)
    }

    var hasEnded: Bool { Wait.isReadable(channel.descriptor) }

    /// Where even that is refused, it sees this process's end, and finds nothing to do.
    func end() { process.end() }
}
