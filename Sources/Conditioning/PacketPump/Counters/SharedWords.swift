// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem
internal import Synchronization

/// Words of 64 bits in memory that other processes read by its descriptor. Only the process that made it can write to it.
///
/// Unchecked for the pointer: the words that it points to are atomic.
final class SharedWords: @unchecked Sendable {
    /// A descriptor of the memory, for another process to map; closed with this object.
    let descriptor: Int32
    let start: UnsafeMutablePointer<Atomic<UInt64>>
    private let count: Int

    /// Makes words of zeros; nil if there is no memory or no descriptor. The memory is used when it is written.
    convenience init?(_ name: String, count: Int) {
        self.init(lc_open_memory(name), count) { lc_make_shared($0, $1) }
    }

    /// Maps the words of a process that may be another one, read-only; nil if they cannot be mapped.
    convenience init?(descriptor: Int32, count: Int) {
        self.init(fcntl(descriptor, F_DUPFD_CLOEXEC, 0), count) { lc_map_readable($0, $1) }
    }

    private init?(_ descriptor: Int32, _ count: Int, _ map: (Int32, UInt) -> UnsafeMutableRawPointer?) {
        guard descriptor >= 0 else { return nil }
        guard let memory = map(descriptor, UInt(count * 8)) else {
            close(descriptor)
            return nil
        }
        (self.descriptor, self.count) = (descriptor, count)
        start = memory.bindMemory(to: Atomic<UInt64>.self, capacity: count)
    }

    deinit {
        lc_unreserve(start, UInt(count * 8))
        close(descriptor)
    }

    /// Whether both are the same memory.
    func isSame(as other: SharedWords) -> Bool {
        FileIdentity(descriptor: descriptor).map { $0 == FileIdentity(descriptor: other.descriptor) } ?? false
    }
}
