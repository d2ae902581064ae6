// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
package import LinuxSystem
internal import Netlink
package import TrafficControl

/// A process that captures the packets of a private network whose lanes the kernel carries. It ends with the process that
/// started it, and parses packets without privileges.
package struct LaneCaptureProcess: LaneRecorder {
    package let process: Int32
    private let descriptor: CInt

    /// The largest number of bytes to keep of a packet if nothing else is asked for.
    package static let usualSnapLength: UInt32 = 262_144

    /// Starts it in the current network. The caller must have a single thread.
    ///
    /// - Parameters:
    ///   - file: where to write: an empty file or a pipe.
    ///   - keyLog: a TLS key log that the command writes, for reading; nil for none.
    ///   - interfaces: the conditioned interfaces. Their packets are seen on those of the lanes.
    ///   - snapLength: the largest number of bytes to keep of a packet.
    package static func fork(
        writingTo file: CInt,
        keyLog: CInt? = nil,
        of interfaces: [Int32],
        snapLength: UInt32 = usualSnapLength
    ) throws(SystemError) -> LaneCaptureProcess {
        let ring = try PacketRing(interface: 0, PacketFilter(without: interfaces, snapLength: snapLength))
        var ends: [CInt] = [0, 0]
        let type = CInt(SOCK_SEQPACKET.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        try checked(socketpair(AF_UNIX, type, 0, &ends), "make a socket pair")
        let (mine, theirs) = (ends[0], ends[1])
        do throws(SystemError) {
            let process = try Fork.helper(keeping: [theirs, ring.descriptor, file] + [keyLog].compactMap(\.self)) {
                lc_set_title("lc-capture", "lc-capture: captures the packets of a sandbox")
                for number in [SIGINT, SIGHUP, SIGPIPE] { signal(number, SIG_IGN) }
                guard let socket = try? RouteSocket() else { _exit(1) }
                let connection = RouteConnection(socket)
                let output = CaptureOutput(descriptor: file, bound: CaptureBound(file, isNamed: true))
                Confinement.enter(.openDescriptors)
                var capture = LaneCapture(ring, output, snapLength: snapLength) {
                    (try? connection.links()) ?? []
                }
                capture.keyLog = keyLog.map { KeyLogFollower($0) }
                serve(theirs, ring, capture)
            }
            close(theirs)
            return LaneCaptureProcess(process: process, descriptor: mine)
        } catch {
            ends.forEach { close($0) }
            throw error
        }
    }

    package func expect(_ lanes: LaneTimes) { send(lanes.nanoseconds) }

    package func finish() -> String? {
        send([])
        defer { close(descriptor) }
        var text = [UInt8](repeating: 0, count: 1000)
        var count: Int
        repeat { count = recv(descriptor, &text, text.count, 0) } while count < 0 && errno == EINTR
        guard count > 0 else { return "lc-capture ended early; the capture can be read up to there" }
        let problem = String(decoding: text[1..<count], as: UTF8.self)
        return problem.isEmpty ? nil : problem
    }

    /// Sends numbers; a single zero says that it is to end.
    private func send(_ numbers: [Int64]) {
        let message = numbers.isEmpty ? [0] : numbers
        _ = message.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
    }

    /// Captures until the other end is closed, or says so.
    private static func serve(_ control: CInt, _ ring: PacketRing, _ capture: LaneCapture) -> Never {
        guard let signals = try? SignalQueue([SIGTERM]) else { _exit(1) }
        var capture = capture
        var isEnding = false
        while !isEnding {
            Wait.untilReadable([ring.descriptor, control, signals.descriptor], limit: .milliseconds(250))
            // Before the packets: those of new lanes come after what is said of them.
            while Wait.isReadable(control), !isEnding {
                var numbers = [Int64](repeating: 0, count: 16)
                let count = numbers.withUnsafeMutableBytes { recv(control, $0.baseAddress, $0.count, 0) }
                let times = LaneTimes(nanoseconds: Array(numbers.prefix(max(count, 0) / 8)))
                if let times { capture.expect(times) } else { isEnding = true }
            }
            if signals.next() != nil { isEnding = true }
            capture.take()
        }
        // The first byte is there even without a problem.
        let answer = [UInt8(0)] + (capture.finish() ?? "").utf8.prefix(900)
        _ = answer.withUnsafeBytes { Glibc.send(control, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
        _exit(0)
    }
}
