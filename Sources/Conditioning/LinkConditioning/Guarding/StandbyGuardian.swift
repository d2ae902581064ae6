// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
internal import PacketPump

/// A process that removes a pump's rule if the guardian is killed: the pump, which parses packets, has no privileges to
/// do so. The guardian is the standby's parent, and removes the rule if the standby is killed.
struct StandbyGuardian {
    let process: HelperProcess
    /// Readable when the process has ended.
    let channel: MessageChannel

    /// Starts the process, from the guardian.
    ///
    /// - Parameters:
    ///   - pump: the guardian's end of the pump's channel, which the standby keeps open too: the pump carries packets
    ///     until both guardians are gone.
    ///   - interface: the interface's name.
    ///   - locksMemory: whether to keep the process's pages in memory.
    ///   - sockets: the pump's sockets, which are deleted with the rule.
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

    /// Kills and reaps the process. If the kernel refuses that, the standby sees this process end, and finds nothing to
    /// remove.
    func end() { process.end() }
}
