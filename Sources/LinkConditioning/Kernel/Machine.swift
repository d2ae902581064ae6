// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

extension KernelFacts {
    /// The facts about the running kernel and the current network namespace.
    public static func current() -> KernelFacts {
        var name = utsname()
        uname(&name)
        let release = withUnsafePointer(to: &name.release) { tuple in
            tuple.withMemoryRebound(to: CChar.self, capacity: 65) { String(cString: $0) }
        }
        var facts = KernelFacts(version: KernelVersion(release: release) ?? KernelVersion(0, 0))
        if let range = portRange() { facts.ephemeralPorts = range }
        return facts
    }

    private static func portRange() -> ClosedRange<UInt16>? {
        guard let file = fopen("/proc/sys/net/ipv4/ip_local_port_range", "re") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 64)
        guard fgets(&line, CInt(line.count), file) != nil else { return nil }
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let ports = text.split { !$0.isNumber }.compactMap { UInt16($0) }
        return ports.count == 2 && ports[0] <= ports[1] ? ports[0]...ports[1] : nil
    }
}

/// A network namespace other than the process's own.
public enum NetworkNamespace: Hashable, Sendable, CustomStringConvertible {
    /// By the name that `ip netns` gave it.
    case named(String)
    /// That of a process.
    case ofProcess(Int32)
    /// The one that this file stands for: a mount of `ip netns`, or a link in /proc/PID/ns.
    case file(String)

    private var path: String {
        switch self {
        case .named(let name): "/run/netns/\(name)"
        case .ofProcess(let process): "/proc/\(process)/ns/net"
        case .file(let path): path
        }
    }

    /// In words: "the network namespace blue".
    public var description: String {
        switch self {
        case .named(let name): "the network namespace \(name)"
        case .ofProcess(let process): "the network namespace of process \(process)"
        case .file(let path): "the network namespace \(path)"
        }
    }

    /// Moves the calling thread there, for good. Sockets opened afterwards belong to it.
    ///
    /// - Throws: `notFound` or `notPermitted`, naming the namespace.
    public func enter() throws(ConditioningError) {
        let result = lc_enter_network_namespace(path)
        guard result < 0 else { return }
        let reason = String(cString: strerror(-result))
        switch -result {
        case ENOENT, EINVAL, ESRCH:
            throw ConditioningError(.notFound, "cannot enter \(self): \(reason)", remedy: "ip netns list")
        default:
            throw ConditioningError(.notPermitted, "cannot enter \(self): \(reason)", remedy: "run it as root")
        }
    }
}
