// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// A network namespace other than the process's own.
public enum NetworkNamespace: Hashable, Sendable, CustomStringConvertible {
    /// A namespace by its name for `ip netns`.
    case named(String)
    /// The network namespace of a process.
    case ofProcess(Int32)
    /// A file: a mount of `ip netns`, or a link in /proc/PID/ns.
    case file(String)
    /// A namespace by an open file descriptor, valid while that is open; the process that it was opened of, and a name
    /// for messages.
    case opened(Int32, process: Int32, name: String)
    /// The namespace with this number, and the path at which it was found.
    case numbered(NetworkIdentity.Number, String)

    package var path: String {
        switch self {
        case .named(let name): "/run/netns/\(name)"
        case .ofProcess(let process): "/proc/\(process)/ns/net"
        case .opened(let descriptor, _, _): "/proc/self/fd/\(descriptor)"
        case .file(let path), .numbered(_, let path): path
        }
    }

    /// The namespace for messages: "the network namespace blue".
    public var description: String {
        switch self {
        case .named(let name): "the network namespace \(name)"
        case .ofProcess(let process): "the network namespace of process \(process)"
        case .opened(_, _, let name): name
        case .file(let path), .numbered(_, let path): "the network namespace \(path)"
        }
    }

    /// Moves the calling thread into the namespace for good: setns(2). Sockets opened afterwards belong to it.
    package func enter() throws(SystemError) {
        try checked(lc_enter_network_namespace(path), "enter \(self)")
        guard case .numbered(let number, _) = self, case .cookie = number else { return }
        // The process in the path may have ended, and its ID belong to another one.
        guard NetworkIdentity.Number.currentCookie == number else {
            throw SystemError(operation: "enter \(self)", code: ESRCH)
        }
    }

    /// The inode of the calling thread's network namespace; nil if /proc is not mounted.
    package static var currentInode: UInt64? { FileIdentity("/proc/thread-self/ns/net")?.inode }

    /// The network namespaces that have a mount of `ip netns` or a process, by inode.
    package static var all: [UInt64: NetworkNamespace] {
        var namespaces: [UInt64: NetworkNamespace] = [:]
        let mounts = DirectoryListing.names(in: "/run/netns").map { "/run/netns/\($0)" }
        for path in mounts + DirectoryListing.numbers(in: "/proc").map({ "/proc/\($0)/ns/net" }) {
            guard let inode = FileIdentity(path)?.inode, namespaces[inode] == nil else { continue }
            namespaces[inode] = .file(path)
        }
        return namespaces
    }
}

/// The identity of a network namespace, unique during this boot.
///
/// The inode does not suffice: the kernel reuses it for the next namespace as soon as the first one ends.
public struct NetworkIdentity: Hashable, Sendable {
    /// The namespace's inode, as /proc shows it.
    public var inode: UInt64
    /// The number that only this namespace has.
    public var number: Number

    /// A number that no other namespace of this boot has.
    public enum Number: Hashable, Sendable {
        /// The kernel's cookie: SO_NETNS_COOKIE, since Linux 5.14.
        case cookie(UInt64)
        /// A random number that linkcond has put into the namespace.
        case mark(UInt64)
    }

    /// Makes an identity.
    public init(inode: UInt64, number: Number) {
        self.inode = inode
        self.number = number
    }
}

extension NetworkIdentity.Number {
    /// The cookie of the calling thread's namespace; nil before Linux 5.14, or if it cannot be read.
    package static var currentCookie: NetworkIdentity.Number? { (try? readCookie()) ?? nil }

    /// Reads the cookie of the calling thread's namespace; nil before Linux 5.14.
    package static func readCookie() throws(SystemError) -> NetworkIdentity.Number? {
        let type = CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = try checked(socket(AF_UNIX, type, 0), "make a socket")
        defer { close(descriptor) }
        var cookie: UInt64 = 0
        var length = socklen_t(MemoryLayout<UInt64>.size)
        if getsockopt(descriptor, SOL_SOCKET, networkCookieOption, &cookie, &length) == 0 { return .cookie(cookie) }
        guard errno == ENOPROTOOPT else { throw SystemError(operation: "read the network's cookie", code: errno) }
        return nil
    }

    /// SO_NETNS_COOKIE of asm-generic/socket.h, which older headers lack.
    private static let networkCookieOption: CInt = 71
}
