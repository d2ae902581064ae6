// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinkProfiles
internal import LinuxSystem

/// The mirrors of the network of the calling thread.
package enum Mirrors {
    /// A mirror that was found.
    package struct Found: Hashable, Sendable {
        package let name: String
        /// The process ID; nil in another PID namespace.
        package let process: Int32?
        /// What it says of itself; nil if it does not answer.
        package let report: MirrorReport?
    }

    package static func all() throws(MirrorError) -> [Found] {
        try MirrorAddress.connections().compactMap { name, socket in
            defer { close(socket) }
            let answer = ask(socket, .report)
            let process = lc_peer(socket).process
            // It has ended meanwhile.
            if let answer, answer.isEmpty { return nil }
            let report = answer.flatMap { try? JSON(utf8: $0) }.flatMap { MirrorReport(json: $0) }
            return Found(name: name, process: process > 0 ? process : nil, report: report)
        }
    }

    /// Ends the mirror `name`; its device is gone when this returns. A process that does not answer is killed.
    package static func stop(_ name: String) throws(MirrorError) {
        let found = try MirrorAddress.connections(name)
        guard !found.isEmpty else {
            throw MirrorError(.notFound, "there is no mirror \"\(name)\"", remedy: .list)
        }
        for (_, socket) in found {
            defer { close(socket) }
            let handle = try? ProcessHandle(lc_peer(socket).process)
            if let answer = ask(socket, .stop) {
                guard answer.isEmpty else {
                    throw MirrorError(
                        .notPermitted,
                        "the mirror \"\(name)\" is another user's",
                        remedy: .stopAsRoot("\(name)")
                    )
                }
                continue
            }
            handle?.signal(SIGKILL)
            guard handle != nil, readToEnd(socket) != nil else {
                throw MirrorError(
                    .silent,
                    "the process of the mirror \"\(name)\" does not answer",
                    remedy: "ip link del \(name)"
                )
            }
        }
    }

    /// Sends a request; returns the answer, or nil if the process does not close the connection.
    private static func ask(_ socket: CInt, _ request: MirrorRequest) -> [UInt8]? {
        MirrorAddress.limitWaits(socket, seconds: 2)
        var byte = request.rawValue
        if send(socket, &byte, 1, CInt(MSG_NOSIGNAL)) < 0, errno == EAGAIN { return nil }
        // Another user's process may have answered and closed before it was asked.
        return readToEnd(socket)
    }

    /// What arrives until the other end closes the connection; nil if it does not.
    private static func readToEnd(_ socket: CInt) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while bytes.count < 1 << 20 {
            let count = recv(socket, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return nil }
            // An error is the end, too: the process was killed before it read the request.
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
        return bytes
    }
}
