// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
package import Netlink

/// A process that runs a mirror in the background. Only the process keeps the device open: the kernel deletes the
/// device when the process ends, however it ends.
package struct MirrorProcess {
    package let process: Int32
    private let lifeline: MessageChannel

    /// Starts a mirror in the network of the calling thread, which must be the process's only one. When this returns,
    /// the mirror works; it ends with the calling process unless `confirm` is called.
    ///
    /// - Parameters:
    ///   - keepsSuperPackets: whether super-packets and incomplete checksums are shown as the source has them, instead
    ///     of the packets on the wire.
    ///   - sockets: makes the sockets for the mirror to listen at; nil if no directory is suitable.
    ///   - isOurs: whether linkcond made an interface for its own use, which a mirror of the whole network does not
    ///     show.
    package static func start(
        _ name: MirrorName,
        _ source: MirrorSource,
        keepsSuperPackets: Bool,
        sockets: () throws -> MirrorSockets?,
        isOurs: @escaping (Link) -> Bool
    ) throws(MirrorError) -> MirrorProcess {
        guard getpid() != 1 else {
            throw MirrorError(
                .unsupported,
                "this is process 1 of its PID namespace, with which the mirror's process would end",
                remedy: "a container with an init process"
            )
        }
        let opened = try OpenSource(source)
        let device = try MirrorDevice(name, of: source, mtu: opened.mtu, keepsSuperPackets: keepsSuperPackets)
        guard let sockets = try MirrorError.catching(sockets) else {
            throw MirrorError(
                .unsupported,
                "there is no directory in which only this user could end the mirror",
                remedy: "a directory of this user's, as LINKCOND_STATE_DIR"
            )
        }
        sockets.removeUnused()
        let (mine, theirs) = try MirrorError.catching { try MessageChannel.pair() }
        let report = MirrorReport(name: name.text, index: device.index, source: "\(source)", began: Int64(time(nil)))
        do throws(MirrorError) {
            let process = try MirrorError.catching {
                try HelperProcess.start(
                    "lc-mirror",
                    "\(report.name) shows \(report.source)",
                    keeping: [opened, device, theirs],
                    hasOwnSession: true
                ) {
                    run(opened, device, report, sockets, lifeline: theirs, isOurs)
                }
            }
            theirs.close()
            guard mine.waitForSign() else {
                throw MirrorError(.refused, "the mirror's process ended at once")
            }
            return MirrorProcess(process: process.id, lifeline: mine)
        } catch {
            mine.close()
            throw error
        }
    }

    /// Lets the mirror go on after the calling process has ended.
    package func confirm() {
        lifeline.sendSign()
        lifeline.close()
    }

    /// The work of the mirror's process.
    private static func run(
        _ source: OpenSource,
        _ device: MirrorDevice,
        _ report: MirrorReport,
        _ sockets: MirrorSockets,
        lifeline: MessageChannel,
        _ isOurs: @escaping (Link) -> Bool
    ) -> Never {
        chdir("/")
        let listener = sockets.listen(for: device.index)
        guard listener >= 0, let signals = try? SignalQueue([SIGTERM, SIGINT, SIGHUP]) else { _exit(1) }
        Confinement.enter(.openDescriptors)
        // Waits for `confirm`, before which the mirror ends with the process that started it.
        guard lifeline.sendSign(), lifeline.waitForSign() else { _exit(1) }
        lifeline.close()
        let mover = FrameMover(source, device, isOurs: isOurs)
        var loop = MirrorLoop(source, device, mover, listener: listener, signals, report)
        loop.run()
        // Deletes the device before the connection of a client closes, which reports the end to the client.
        close(device.descriptor)
        _exit(0)
    }
}
