// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem

/// Shows when the network of a source ends. A packet socket keeps its network alive, so this watches the process or the
/// name by which the user identified the network.
final class SourceEnd {
    /// The name whose end counts; nil for a process.
    private let name: String?
    /// Readable when the network may have ended.
    let descriptor: CInt

    /// Watches a network; nil for one that ends with this machine.
    init?(_ network: NetworkNamespace?) throws(MirrorError) {
        switch network {
        case nil, .file, .numbered: return nil
        case .ofProcess(let process), .opened(_, let process, _):
            name = nil
            descriptor = lc_open_process(process)
            guard descriptor >= 0 else {
                let reason = String(cString: strerror(-descriptor))
                throw MirrorError(.notFound, "cannot find process \(process): \(reason)", remedy: "ps -e")
            }
        case .named(let name):
            self.name = name
            let events = inotify_init1(CInt(IN_CLOEXEC) | CInt(IN_NONBLOCK))
            guard events >= 0 else { throw MirrorError(SystemError(operation: "watch /run/netns", code: errno)) }
            let changes = UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM)
            guard inotify_add_watch(events, "/run/netns", changes) >= 0 else {
                let code = errno
                close(events)
                guard code != ENOENT else {
                    throw MirrorError(.notFound, "there is no network namespace \(name)", remedy: "ip netns list")
                }
                throw MirrorError(SystemError(operation: "watch /run/netns", code: code))
            }
            descriptor = events
        }
    }

    deinit { close(descriptor) }

    /// Reads the descriptor's event; returns whether the network has ended.
    func hasCome() -> Bool {
        guard let name else { return Wait.isReadable(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 8192)
        let count = read(descriptor, &buffer, buffer.count)
        // struct inotify_event: the watch, the change and a cookie, then the length of the name that follows.
        var start = 16
        while start <= count {
            let length = buffer.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: start - 4, as: UInt32.self)) }
            let named = buffer[start..<min(start + length, count)]
            if named.prefix(while: { $0 != 0 }).elementsEqual(name.utf8) { return true }
            start += length + 16
        }
        return false
    }
}
