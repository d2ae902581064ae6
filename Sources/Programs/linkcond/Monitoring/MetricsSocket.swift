// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc
import InternetAddresses
import LinuxSystem
import SocketServing

enum MetricsEndpoint {
    case socket(path: String)
    case address(host: String, port: UInt16)

    /// Parses "unix:PATH", "HOST:PORT", or ":PORT" for the loopback address.
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

    /// Whether a request may be answered. On loopback, a Host header with another name than localhost comes from a
    /// browser's page whose name was made to resolve to this machine (DNS rebinding); an address is safe.
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

/// The unix socket at which metrics are served: created at the start, and removed at the end.
struct MetricsSocket {
    let path: String
    private let identity: FileIdentity

    /// Identifies the socket that was just bound at `path`.
    init?(bound path: String) {
        guard let found = Self.look(at: path) else { return nil }
        (self.path, identity) = (path, FileIdentity(found))
    }

    /// Removes the socket file, unless another process has replaced it.
    func remove() {
        if Self.look(at: path).map({ FileIdentity($0) }) == identity { unlink(path) }
    }

    /// Removes a socket of this user at `path` that no process serves any more, as a killed process leaves it. Throws
    /// if anything else is there.
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

    /// Whether a process listens at the socket; true if that is unknown.
    private static func isServed(_ path: String) -> Bool {
        let descriptor = lc_open_socket(CInt(lc_unix_stream), 0)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        return lc_connect_path(descriptor, path) != -ECONNREFUSED
    }
}
