// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem

extension LoginConnection {
    /// The connection over which the user of this process is logged in; nil if there is none.
    ///
    /// The nearest mosh-server(1) among the ancestors takes precedence over the SSH login that started it, which has
    /// ended.
    static func current() -> LoginConnection? {
        var login = getenv("SSH_CONNECTION").flatMap {
            LoginConnection(String(cString: $0), processID: getpid())
        }
        var process = getppid()
        for _ in 0..<64 where process > 1 {
            let name = ProcFile("/proc/\(process)/comm").firstLine
            // sudo(8) removes the variable, so it may be found only in a more distant ancestor.
            if login == nil || name == "mosh-server" {
                login = ProcessEnvironment.login(of: process) ?? login
            }
            if name == "mosh-server", let login, let port = UDPPorts.bound(by: process).first {
                return LoginConnection(startedBy: login, server: process, port: port)
            }
            // Ancestors of sshd belong to another login.
            guard name?.hasPrefix("sshd") != true, let parent = ProcessStatus(process)?.parent else { break }
            process = parent
        }
        return login
    }
}

extension ProcessEnvironment {
    fileprivate static func login(of process: Int32) -> LoginConnection? {
        let prefix = "SSH_CONNECTION="
        return variables(of: process).first { $0.hasPrefix(prefix) }
            .flatMap { LoginConnection(String($0.dropFirst(prefix.count)), processID: process) }
    }
}

/// The UDP ports that a process has opened: /proc/PID/net/udp, proc(5).
private enum UDPPorts {
    static func bound(by process: Int32) -> [UInt16] {
        let held = Set(SocketInodes.held(by: process).compactMap { UInt64($0) })
        let sockets = SocketTable.entries(in: [.closed, .established], of: "udp", under: "/proc/\(process)/net") ?? []
        return sockets.filter { held.contains($0.inode) }.map(\.local.port)
    }
}
