// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinkProfiles
internal import LinuxSystem
internal import Netlink

/// The mirrors in the network namespace of the calling thread.
package struct Mirrors {
    /// The sockets of this user's mirrors; nil if there are none.
    private let sockets: MirrorSockets?

    package init(_ sockets: MirrorSockets?) { self.sockets = sockets }

    /// A mirror that was found.
    package struct Found: Hashable, Sendable {
        package let name: String
        /// The source that the mirror shows; nil if the mirror's process does not respond.
        package var source: String?
        /// The process ID; nil if the process is another user's or in another PID namespace.
        package var process: Int32?
        /// The report of the mirror's process; nil if the process does not respond, or is another user's.
        package var report: MirrorReport?
    }

    package func all() throws(MirrorError) -> [Found] {
        sockets?.removeUnused()
        return try devices().compactMap { link, source in
            let socket = connect(to: link)
            guard socket >= 0 else {
                return Found(name: link.name, source: socket == -EAGAIN ? nil : source)
            }
            defer { close(socket) }
            let answer = Self.ask(socket, .report)
            let process = lc_peer(socket).process
            // An empty answer: the mirror has ended meanwhile.
            if let answer, answer.isEmpty { return nil }
            let report = answer.flatMap { try? JSON(utf8: $0) }.flatMap { MirrorReport(json: $0) }
            return Found(
                name: link.name,
                source: report?.source,
                process: process > 0 ? process : nil,
                report: report
            )
        }
    }

    /// Ends the mirror `name` and waits until its device is deleted. Kills a process that does not respond.
    package func stop(_ name: String) throws(MirrorError) {
        guard let link = try devices().first(where: { $0.link.name == name })?.link else {
            throw MirrorError(.notFound, "there is no mirror \"\(name)\"", remedy: .list)
        }
        defer { sockets?.removeUnused() }
        let socket = connect(to: link)
        guard socket >= 0 || socket == -EAGAIN else {
            throw MirrorError(
                .notPermitted,
                "the mirror \"\(name)\" is another user's, or has its socket in another LINKCOND_STATE_DIR",
                remedy: .stopAsRoot(name)
            )
        }
        defer { if socket >= 0 { close(socket) } }
        let handle = socket < 0 ? nil : try? ProcessHandle(lc_peer(socket).process)
        if socket >= 0, Self.ask(socket, .stop) != nil { return }
        handle?.signal(SIGKILL)
        guard handle != nil, Self.readToEnd(socket) != nil else {
            throw MirrorError(
                .silent,
                "the process of the mirror \"\(name)\" does not answer",
                remedy: "ip link del \(name)"
            )
        }
    }

    /// The devices of mirrors, with the sources that they show.
    private func devices() throws(MirrorError) -> [(link: Link, source: String)] {
        try MirrorError.catching { try RouteConnection(try RouteSocket()).links() }
            .compactMap { link in MirrorDevice.source(of: link).map { (link, $0) } }
            .sorted { $0.link.name < $1.link.name }
    }

    private func connect(to link: Link) -> CInt { sockets?.connect(to: link.index) ?? -EACCES }

    /// Sends a request; returns the answer, or nil if the process does not close the connection.
    private static func ask(_ socket: CInt, _ request: MirrorRequest) -> [UInt8]? {
        var limit = timeval(tv_sec: 2, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(socket, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        var byte = request.rawValue
        if send(socket, &byte, 1, CInt(MSG_NOSIGNAL)) < 0, errno == EAGAIN { return nil }
        return readToEnd(socket)
    }

    /// The bytes that arrive until the other end closes the connection; nil if it does not.
    private static func readToEnd(_ socket: CInt) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while bytes.count < 1 << 20 {
            let count = recv(socket, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return nil }
            // An error ends the answer, too: the process was killed before it read the request.
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
        return bytes
    }
}
