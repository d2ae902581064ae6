// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
import Glibc
package import LinuxSystem
internal import Netlink
internal import TrafficControl

/// A process that captures the packets of a private network whose lanes are in the kernel, as packets leave the lanes.
/// It ends with the process that started it, and parses packets without privileges.
package struct LaneCaptureProcess: Sendable {
    package let process: Int32
    private let channel: MessageChannel

    /// The limits of such a capture, for its comment.
    package static let caveat =
        "netem carries the packets: the capture has those that left the link, and does not tell its drops and delays"

    /// Starts the process in the current network namespace. The caller must have a single thread.
    ///
    /// - Parameters:
    ///   - file: the file to write: an empty file or a pipe.
    ///   - keyLog: a TLS key log that the command writes, for reading; nil for none.
    ///   - interfaces: the conditioned interfaces, which are not captured: their packets are seen on the lanes'
    ///     interfaces.
    ///   - snapLength: the largest number of bytes to keep of a packet; nil for all.
    package static func fork(
        writingTo file: CInt,
        keyLog: CInt? = nil,
        of interfaces: [Int32],
        snapLength: UInt32?
    ) throws(SystemError) -> LaneCaptureProcess {
        var options = CaptureSession.Options()
        options.snapLength = snapLength ?? options.snapLength
        (options.comments, options.countsUnwritten) = ([caveat], true)
        let ring = try PacketRing(interface: 0, PacketFilter(without: interfaces, snapLength: options.snapLength))
        let (mine, theirs) = try MessageChannel.pair()
        do throws(SystemError) {
            let process = try HelperProcess.start(
                "lc-capture",
                "captures the packets of a sandbox",
                keeping: [theirs, ring, OpenDescriptor(file), keyLog.map(OpenDescriptor.init)],
                // The supervisor ends it.
                signals: .reset(ignoring: [SIGINT, SIGHUP, SIGPIPE, SIGTERM])
            ) {
                guard let socket = try? RouteSocket() else { _exit(1) }
                let connection = RouteConnection(socket)
                let files = CaptureFiles(descriptor: file, bound: CaptureBound(file, isNamed: true))
                Confinement.enter(.openDescriptors)
                let session = CaptureSession(
                    ring,
                    options,
                    files: files,
                    keyLog: keyLog,
                    name: { device($0, (try? connection.links()) ?? []) },
                    show: nil
                )
                let end = session.run(stop: theirs.descriptor).end
                // Empty without a problem.
                let problem = if case .failed(let failure) = end { failure.description } else { "" }
                theirs.send(message: Array(problem.utf8.prefix(900)))
                _exit(0)
            }
            theirs.close()
            return LaneCaptureProcess(process: process.id, channel: mine)
        } catch {
            mine.close()
            theirs.close()
            throw error
        }
    }

    /// The lane that ends at the interface with this index, or the interface itself.
    private static func device(_ index: Int32, _ links: [Link]) -> CapturedDevice? {
        guard let name = links.first(where: { $0.index == index })?.name else { return nil }
        guard let lane = LaneName(name) else { return CapturedDevice(name) }
        let device = links.first { $0.index == lane.deviceIndex }?.name
        return CapturedDevice(device ?? "interface \(lane.deviceIndex)", lane.kind)
    }

    /// Ends the process after it has written the packets that have left the lanes.
    ///
    /// - Returns: why not all of the packets were written; nil if they were.
    package func finish() -> String? {
        channel.endSending()
        defer { channel.close() }
        guard let problem = channel.receiveMessage() else {
            return "lc-capture ended early; the capture can be read up to there"
        }
        return problem.isEmpty ? nil : String(decoding: problem, as: UTF8.self)
    }
}
