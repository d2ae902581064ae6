// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinkProfiles
internal import LinuxSystem

/// A client of a pump's process whose request may be incomplete. Other clients do not wait for it.
struct WaitingClient {
    let channel: MessageChannel
    private var message = PartialMessage()
    /// The deadline by `BootClock`.
    private let deadline: Duration

    /// The time for a whole request: a recording of 256 MB takes some seconds.
    private static let requestTimeout = Duration.seconds(10)

    enum State {
        case waits
        case has(JSON)
        /// The client has closed its end, sent an invalid message, or used up its time.
        case isGone
    }

    init(_ channel: MessageChannel, since now: Duration) {
        (self.channel, deadline) = (channel, now + Self.requestTimeout)
    }

    var descriptor: CInt { channel.descriptor }

    /// Receives what has arrived, without waiting.
    mutating func receive(at now: Duration) -> State {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while now < deadline {
            let count = recv(descriptor, &bytes, bytes.count, CInt(MSG_DONTWAIT))
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return .waits }
            guard count > 0, message.add(bytes[..<count]) else { return .isGone }
            if let text = message.text { return (try? JSON(utf8: text)).map { .has($0) } ?? .isGone }
        }
        return .isGone
    }
}

/// The part of a ``MessageChannel``'s message that has arrived.
struct PartialMessage {
    private var bytes: [UInt8] = []

    /// Adds bytes that have arrived; returns whether the message can still be valid.
    mutating func add(_ more: ArraySlice<UInt8>) -> Bool {
        bytes += more
        return length.map { $0 <= MessageChannel.longest && bytes.count <= 4 + $0 } ?? true
    }

    /// The length in the message's header; nil until the header is complete.
    private var length: Int? {
        guard bytes.count >= 4 else { return nil }
        return Int(bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) })
    }

    /// The text of the message; nil while bytes are missing.
    var text: ArraySlice<UInt8>? {
        guard let length, bytes.count == 4 + length else { return nil }
        return bytes[4...]
    }
}
