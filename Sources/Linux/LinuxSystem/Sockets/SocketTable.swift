// SPDX-License-Identifier: Apache-2.0

import Glibc
package import InternetAddresses

/// The sockets of a network, as /proc/net/tcp, tcp6, udp and udp6 list them: proc(5).
package struct SocketTable {
    package struct Entry: Hashable {
        package var local: Endpoint
        package var remote: Endpoint
        package var state: State
        /// The socket's inode; 0 if no process holds it any more.
        package var inode: UInt64

        package var pair: Pair { Pair(local: local, remote: remote) }
    }

    /// The ends of a socket, as the kernel lists them.
    package struct Pair: Hashable {
        package let local: Endpoint
        package let remote: Endpoint
    }

    /// The parsed line of a socket.
    package struct Row {
        package let entry: Entry
        /// The user that made the socket.
        package let user: UInt32
        /// The number of unacknowledged bytes in the send queue, a FIN counted as one.
        package let sendQueue: UInt32
    }

    /// An address and a port.
    package struct Endpoint: Hashable {
        /// The words of the address as the kernel prints them, in the machine's byte order.
        fileprivate var words: SIMD4<UInt32>
        fileprivate var isLong: Bool
        package var port: UInt16

        /// The address; an IPv4-mapped IPv6 address is returned as the IPv4 address that packets have.
        package var address: IPAddress? {
            var bytes: [UInt8] = []
            for index in 0..<(isLong ? 4 : 1) { withUnsafeBytes(of: words[index]) { bytes += $0 } }
            if isLong, bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]) { bytes.removeFirst(12) }
            return IPAddress(bytes: bytes)
        }
    }

    /// The states of include/net/tcp_states.h that matter here.
    package enum State: UInt8 {
        case established = 1
        case synSent = 2
        case finWait1 = 4
        case closed = 7
        case closeWait = 8
        case lastAcknowledgment = 9
        case listening = 10
        case closing = 11
    }

    /// The maximum size of a list in bytes; larger lists are not read.
    private static let longest = 64 << 20

    /// The sockets in one of `states`; nil if the lists cannot be read. UDP sockets are `closed` or `established`.
    ///
    /// - Parameter directory: the directory of the lists; by default those of the calling thread's network.
    package static func entries(
        in states: Set<State>,
        of protocol: String = "tcp",
        under directory: String = "/proc/thread-self/net"
    ) -> [Entry]? {
        var entries: [Entry] = []
        let long = `protocol` + "6"
        for name in [`protocol`, long] {
            let path = "\(directory)/\(name)"
            do {
                read(try SmallFile.read(path, followsLinks: true, limit: longest), states, into: &entries)
            } catch {
                // Without IPv6 there is no second file.
                guard error.code == ENOENT, name == long else { return nil }
            }
        }
        return entries
    }

    /// Adds the sockets in the text of one of the files.
    package static func read(_ text: [UInt8], _ states: Set<State>, into entries: inout [Entry]) {
        read(text, states) { entries.append($0.entry) }
    }

    /// Calls `body` for each socket in `states` in the text of one of the files. Allocates nothing for other sockets,
    /// since the text is read many times a second.
    ///
    /// Repeated sockets are skipped. To continue a list at its end, the kernel counts lines: if sockets were added
    /// meanwhile, each read(2) lists the last ones again (net/ipv4/tcp_ipv4.c, tcp_seq_start).
    package static func read(_ text: [UInt8], _ states: Set<State>, _ body: (Row) -> Void) {
        let codes = states.reduce(into: UInt16(0)) { $0 |= 1 << UInt16($1.rawValue) }
        var inodes: Set<UInt64> = []
        text.withUnsafeBufferPointer { text in
            var start = 0
            var isFirst = true
            while start < text.count {
                var end = start
                while end < text.count, text[end] != UInt8(ascii: "\n") { end += 1 }
                if !isFirst, let row = row(UnsafeBufferPointer(rebasing: text[start..<end]), codes),
                    row.entry.inode == 0 || inodes.insert(row.entry.inode).inserted
                {
                    body(row)
                }
                (start, isFirst) = (end + 1, false)
            }
        }
    }

    /// Reads a line: "sl: LOCAL REMOTE STATE QUEUES TIMER RETRANSMITS UID TIMEOUT INODE ...".
    private static func row(_ line: UnsafeBufferPointer<UInt8>, _ codes: UInt16) -> Row? {
        var fields = (local: 0..<0, remote: 0..<0, queues: 0..<0, user: 0..<0)
        var state: State?
        var number = 0
        var index = 0
        while index < line.count {
            while index < line.count, line[index] == UInt8(ascii: " ") { index += 1 }
            let start = index
            while index < line.count, line[index] != UInt8(ascii: " ") { index += 1 }
            switch number {
            case 1: fields.local = start..<index
            case 2: fields.remote = start..<index
            case 3:
                guard let code = hexadecimal(line[start..<index]), code < 16, codes & 1 << UInt16(code) != 0 else {
                    return nil
                }
                state = State(rawValue: UInt8(code))
            case 4: fields.queues = start..<index
            case 7: fields.user = start..<index
            case 9:
                guard let state, let inode = decimal(line[start..<index]), let local = Endpoint(line[fields.local]),
                    let remote = Endpoint(line[fields.remote]), let user = decimal(line[fields.user])
                else { return nil }
                // "SENT:RECEIVED".
                let queue = line[fields.queues].prefix { $0 != UInt8(ascii: ":") }
                return Row(
                    entry: Entry(local: local, remote: remote, state: state, inode: inode),
                    user: UInt32(truncatingIfNeeded: user),
                    sendQueue: hexadecimal(queue) ?? 0
                )
            default: break
            }
            number += 1
        }
        return nil
    }

    fileprivate static func hexadecimal(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> UInt32? {
        guard (1...8).contains(digits.count) else { return nil }
        var number: UInt32 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt32(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "A")...UInt8(ascii: "F"): number = number << 4 | UInt32(digit - UInt8(ascii: "A") + 10)
            default: return nil
            }
        }
        return number
    }

    private static func decimal(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> UInt64? {
        guard (1...19).contains(digits.count) else { return nil }
        var number: UInt64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            number = number * 10 + UInt64(digit - UInt8(ascii: "0"))
        }
        return number
    }
}

extension SocketTable.Endpoint {
    /// Reads "0100007F:1F90", 127.0.0.1:8080.
    fileprivate init?(_ field: Slice<UnsafeBufferPointer<UInt8>>) {
        guard let colon = field.lastIndex(of: UInt8(ascii: ":")),
            let port = SocketTable.hexadecimal(field[(colon + 1)...])
        else { return nil }
        let digits = field[..<colon]
        guard digits.count == 8 || digits.count == 32 else { return nil }
        var words: [UInt32] = []
        for start in stride(from: digits.startIndex, to: digits.endIndex, by: 8) {
            guard let word = SocketTable.hexadecimal(digits[start..<start + 8]) else { return nil }
            words.append(word)
        }
        self.words = words.count == 1 ? SIMD4(words[0], 0, 0, 0) : SIMD4(words[0], words[1], words[2], words[3])
        isLong = words.count == 4
        self.port = UInt16(truncatingIfNeeded: port)
    }
}
