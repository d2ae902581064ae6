// SPDX-License-Identifier: Apache-2.0

import Glibc

/// One end of the line between a keeper and its pump: a profile's text one way, and what became of it the other way,
/// nothing where all went well. Each with its length ahead.
struct PumpChannel {
    /// Readable while something waits, or when the other end is gone.
    let descriptor: CInt

    /// Makes a line and gives its two ends.
    static func pair() throws(SandboxError) -> (PumpChannel, PumpChannel) {
        var ends: [CInt] = [0, 0]
        let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        try checked(socketpair(AF_UNIX, type, 0, &ends), "make a socket pair")
        return (PumpChannel(descriptor: ends[0]), PumpChannel(descriptor: ends[1]))
    }

    /// Sends bytes; to nobody, if the other end is gone.
    func send(_ bytes: [UInt8]) {
        var rest = withUnsafeBytes(of: UInt32(bytes.count)) { Array($0) } + bytes
        while !rest.isEmpty {
            let count = Glibc.send(descriptor, rest, rest.count, CInt(MSG_NOSIGNAL))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest.removeFirst(count)
        }
    }

    /// Waits for bytes; nil when the other end is gone.
    func receive() -> [UInt8]? {
        guard let head = read(4) else { return nil }
        return read(Int(head.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }))
    }

    /// Waits for what became of something; nil where all went well.
    func receiveAnswer() -> String? {
        guard let bytes = receive() else { return "the process that carries the conditions is gone" }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
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

    /// Closes this end.
    func close() { Glibc.close(descriptor) }
}
