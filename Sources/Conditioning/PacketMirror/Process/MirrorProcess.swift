// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
package import Netlink

/// A process that runs a mirror in the background. The device is the process's own: the kernel deletes it when the
/// process ends, however it ends.
package struct MirrorProcess {
    package let process: Int32
    private let lifeline: MessageChannel

    /// Starts a mirror in the network of the calling thread, which must be the process's only one. It works when this
    /// returns, and ends with the calling process until `confirm` is called.
    ///
    /// - Parameters:
    ///   - keepsSuperPackets: whether super-packets and incomplete checksums are shown as the source has them, instead
    ///     of the packets on the wire.
    ///   - sockets: where it is to listen; nil if there is no place for that.
    ///   - isOurs: whether an interface is part of linkcond's own machinery, and not to be shown with its network.
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

    /// The child's work.
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
        // The starter says what it has started before it lets go of it.
        guard lifeline.sendSign(), lifeline.waitForSign() else { _exit(1) }
        lifeline.close()
        let mover = FrameMover(source, device, isOurs: isOurs)
        var loop = MirrorLoop(source, device, mover, listener: listener, signals, report)
        loop.run()
        // Before the client is told, whose connection ends with the process.
        close(device.descriptor)
        _exit(0)
    }
}
