// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
package import Netlink
internal import Synchronization

/// A word of memory by which filters notice that a pump no longer carries packets.
///
/// A process that was stopped, or whose control group was frozen, keeps its TAP devices, so filters would redirect
/// packets to them for ever. Therefore the program of a filter writes the time of a packet into the word if the word is
/// zero, and the pump writes zero into it again and again. If the time is too old, the program matches nothing, until
/// the pump works again; see `FailOpenProgram`.
///
/// Only the program reads a clock: a process in a time namespace may have another one. It reads the monotonic clock,
/// which stops while the machine is suspended, as the pump does.
///
/// Unchecked for the pointer: the word that it points to is atomic.
package final class FilterWatchdog: @unchecked Sendable {
    /// A descriptor of the word, for another process to load a program with; closed with this object.
    package let descriptor: CInt
    let word: UnsafeMutablePointer<Atomic<UInt64>>

    /// The interval at which a pump renews the watchdog.
    package static let interval = Duration.seconds(2)
    /// The age of the time in the word above which the filters no longer match.
    package static let silenceLimit = Duration.seconds(10)

    /// Makes the word.
    ///
    /// - Throws: the kernel's refusal: before Linux 5.5, or without CAP_BPF in the initial user namespace.
    package init() throws(NetlinkError) {
        descriptor = lc_open_shared_word()
        guard descriptor >= 0 else { throw Self.failure(-descriptor) }
        let size = MemoryLayout<UInt64>.size
        let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let memory, memory != MAP_FAILED else {
            let code = errno
            close(descriptor)
            throw Self.failure(code)
        }
        word = memory.bindMemory(to: Atomic<UInt64>.self, capacity: 1)
    }

    deinit {
        munmap(word, MemoryLayout<UInt64>.size)
        close(descriptor)
    }

    private static func failure(_ code: CInt) -> NetlinkError {
        NetlinkError(operation: "make the watchdog of a filter's program", code: code)
    }

    /// Writes zero, which shows the programs that packets are carried. A confined process may write to memory.
    package func renew() { word.pointee.store(0, ordering: .relaxed) }
}
