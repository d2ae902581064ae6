// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc
import InternetAddresses
import LinuxSystem
import SocketServing

enum MetricsPlace {
    case socket(path: String)
    case address(host: String, port: UInt16)

    /// Reads "unix:PATH", "HOST:PORT" or ":PORT", which is loopback's.
    init(_ text: String) throws {
        if text.hasPrefix("unix:") {
            self = .socket(path: String(text.dropFirst(5)))
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw Failure(.usage, "--metrics \(text) is neither HOST:PORT nor unix:PATH")
        }
        let host = text[..<colon].filter { $0 != "[" && $0 != "]" }
        self = .address(host: host.isEmpty ? "127.0.0.1" : String(host), port: port)
    }

    /// Whether a request may be answered. At loopback, one for a name other than this machine's comes from a page in a
    /// browser whose own name leads here now (DNS rebinding); an address cannot be such a name.
    func admits(_ request: HTTPRequest) -> Bool {
        guard case .address(let host, _) = self, IPAddress(host)?.isLoopback == true else { return true }
        return request.values(of: "host").allSatisfy { value in
            var name = value.lowercased()
            if let colon = name.lastIndex(of: ":"), name[name.index(after: colon)...].allSatisfy(\.isNumber) {
                name = String(name[..<colon])
            }
            name.removeAll { $0 == "[" || $0 == "]" }
            return name == "localhost" || IPAddress(name) != nil
        }
    }
}

/// The unix socket that metrics are served at: made where there is none, and removed at the end.
struct MetricsSocket {
    let path: String
    private let identity: FileIdentity

    /// Identifies the socket that was just bound at `path`.
    init?(bound path: String) {
        guard let found = Self.look(at: path) else { return nil }
        (self.path, identity) = (path, FileIdentity(found))
    }

    /// Removes the socket, unless another process has put something else in its place.
    func remove() {
        if Self.look(at: path).map({ FileIdentity($0) }) == identity { unlink(path) }
    }

    /// Makes room at `path`: removes a socket of this user's that no process serves any more, as a process that was
    /// killed leaves it. Throws for anything else that is there.
    static func makeRoom(at path: String) throws {
        guard let found = look(at: path) else { return }
        func refusal(_ status: Failure.Status, _ reason: String) -> Failure {
            Failure(status, "cannot serve metrics at \(path): \(reason)\ntry: another path after unix:")
        }
        guard found.st_mode & S_IFMT == S_IFSOCK else { throw refusal(.unavailable, "the file is no socket") }
        guard found.st_uid == geteuid() else {
            throw refusal(.notPermitted, "the socket belongs to uid \(found.st_uid)")
        }
        guard !isServed(path) else { throw refusal(.busy, "another process serves this socket") }
        guard unlink(path) == 0 || errno == ENOENT else {
            throw refusal(.inputOutput, "cannot remove the old socket: \(String(cString: strerror(errno)))")
        }
    }

    private static func look(at path: String) -> stat? {
        var facts = stat()
        return lstat(path, &facts) == 0 ? facts : nil
    }

    /// Whether a process listens there, or might.
    private static func isServed(_ path: String) -> Bool {
        let descriptor = lc_open_socket(CInt(lc_unix_stream), 0)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        return lc_connect_path(descriptor, path) != -ECONNREFUSED
    }
}
