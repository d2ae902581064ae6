// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
package import LinkProfiles
internal import LinuxSystem

/// One end of a connection to a pump's process: JSON messages, each preceded by its length, and descriptors.
package struct PumpChannel: DescriptorHolder, Sendable {
    /// Readable when a message is waiting or the other end is closed.
    package let descriptor: CInt

    package var descriptors: [CInt] { [descriptor] }

    /// The longest message in bytes that is accepted.
    static let longest = 256 << 20

    private init(descriptor: CInt) { self.descriptor = descriptor }

    /// Makes a connection; returns its two ends, or nil if there are no descriptors.
    package static func pair() -> (PumpChannel, PumpChannel)? {
        guard let ends = try? Descriptors.socketPair(SOCK_STREAM) else { return nil }
        return (PumpChannel(descriptor: ends.0), PumpChannel(descriptor: ends.1))
    }

    /// Accepts a connection; nil if the client is gone or not trusted.
    package static func accept(from listener: CInt) -> PumpChannel? {
        let descriptor = lc_accept(listener)
        return descriptor < 0 ? nil : PumpChannel(trusting: descriptor)
    }

    /// Takes ownership of an end that the process with the other one has passed on.
    init(passed descriptor: CInt) {
        self.descriptor = descriptor
        limitWaits(seconds: 2)
    }

    /// Takes ownership of a connected socket; nil if the process at the other end is neither root's nor the same user's.
    /// Time limits guard against a stopped process there.
    init?(trusting descriptor: CInt) {
        guard [0, geteuid()].contains(lc_peer(descriptor).user) else {
            Glibc.close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        limitWaits(seconds: 2)
    }

    /// Limits the time that this end waits for the other.
    package func limitWaits(seconds: Int) {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    /// Whether the other end is closed, and all that it has sent has been received.
    package var isAbandoned: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT)) == 0
    }

    /// Sends a message. Does nothing if the other end is gone.
    package func send(_ json: JSON) { send(Array(json.text.utf8)) }

    /// Sends the text of a message.
    func send(_ text: [UInt8]) {
        var rest = ArraySlice(withUnsafeBytes(of: UInt32(text.count)) { Array($0) } + text)
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Waits for a message; nil if the other end is gone or the message is invalid.
    package func receive() -> JSON? {
        guard let head = read(4) else { return nil }
        let length = Int(head.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) })
        guard length <= Self.longest, let bytes = read(length) else { return nil }
        return try? JSON(utf8: bytes)
    }

    /// Sends a single byte without a meaning.
    package func sendSign() { _ = Glibc.send(descriptor, [0], 1, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT)) }

    /// Reads all such bytes that have arrived, without waiting; whether there were any.
    package func receiveSign() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 64)
        var hasReceived = false
        while recv(descriptor, &bytes, bytes.count, CInt(MSG_DONTWAIT)) > 0 { hasReceived = true }
        return hasReceived
    }

    package func send(descriptor other: CInt) { _ = lc_send_descriptor(descriptor, other) }

    /// Waits for a descriptor; nil if the other end is gone.
    func receiveDescriptor() -> CInt? {
        let received = lc_receive_descriptor(descriptor)
        return received < 0 ? nil : received
    }

    private func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let more = bytes.withUnsafeMutableBytes {
                Glibc.recv(descriptor, $0.baseAddress.map { $0 + filled }, count - filled, 0)
            }
            if more < 0, errno == EINTR { continue }
            guard more > 0 else { return nil }
            filled += more
        }
        return bytes
    }

    /// Ends the connection, although copies of this end may be open in other processes.
    package func end() { shutdown(descriptor, CInt(SHUT_RDWR)) }

    package func close() { Glibc.close(descriptor) }
}
