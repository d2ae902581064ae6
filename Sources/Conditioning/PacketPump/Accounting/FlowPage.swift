// SPDX-License-Identifier: Apache-2.0

import Glibc
package import InternetAddresses
package import LinkProfiles
internal import Synchronization

/// The flows of a pump, in memory that other processes read by its descriptor, without a system call. Only the pump's
/// process can write to it.
///
/// Words of 64 bits in the machine's byte order. The head: a number for this layout; the slots in use; flows replaced;
/// records lost; the time of the last change, in nanoseconds of the monotonic clock; names written; and for each lane,
/// the packets with a delay and the sum of their delays. Then the slots of flows, each a sequence number, odd while the
/// slot is being written, and a ``FlowEntry``; and the slots of names, used in turn: a sequence number, the length of
/// the address and of the name, two words of address, and the name.
///
/// Unchecked for the pointer: the words that it points to are atomic.
package final class FlowPage: @unchecked Sendable {
    private static let head = 16
    private static let lanes = 6
    /// Changes with the layout: a pump of another version of this program may answer.
    private static let layout: UInt64 = 0x6C63_666C_6F77_0000 | UInt64(FlowEntry.words)
    private static let flowStride = 1 + FlowEntry.words
    private static let names = head + FlowLedger.capacity * flowStride
    private static let maximumNames = 1_024
    /// The bytes of a name that are kept: DNS allows 255.
    private static let longestName = 256
    private static let nameStride = 4 + longestName / 8
    private static let words = names + maximumNames * nameStride

    private let memory: SharedWords
    private let page: UnsafeMutablePointer<Atomic<UInt64>>

    /// Makes a page without flows; nil if there is no memory or no descriptor. The memory is used when it is written.
    init?() {
        guard let memory = SharedWords("linkcond-flows", count: Self.words) else { return nil }
        (self.memory, page) = (memory, memory.start)
        page[0].store(Self.layout, ordering: .relaxed)
    }

    /// Maps the page of a pump that may be in another process; nil if the descriptor is not a page of this layout.
    package init?(descriptor: Int32) {
        guard let memory = SharedWords(descriptor: descriptor, count: Self.words) else { return nil }
        (self.memory, page) = (memory, memory.start)
        guard page[0].load(ordering: .relaxed) == Self.layout else { return nil }
    }

    /// A descriptor of the memory, for another process to map; closed with this object.
    package var descriptor: Int32 { memory.descriptor }

    /// Whether both are one page: the same memory.
    package func isSame(as other: FlowPage) -> Bool { memory.isSame(as: other.memory) }

    /// The flows that were replaced by later ones, for lack of room.
    package var replaced: UInt64 { page[2].load(ordering: .relaxed) }
    /// The records that were lost: flows lack these packets.
    package var lost: UInt64 { page[3].load(ordering: .relaxed) }

    /// The delays of the packets of a lane since the account began.
    package func delays(of lane: Lane) -> FlowEntry.Delays {
        let index = Self.lanes + lane.rawValue * 2
        return FlowEntry.Delays(
            packets: page[index].load(ordering: .relaxed),
            nanoseconds: page[index + 1].load(ordering: .relaxed)
        )
    }

    /// The flows, in no order, each as it was at one time.
    package func flows() -> [FlowEntry] {
        let used = min(Int(clamping: page[1].load(ordering: .acquiring)), FlowLedger.capacity)
        var flows: [FlowEntry] = []
        flows.reserveCapacity(used)
        for slot in 0..<used {
            var entry = FlowEntry()
            let start = page + Self.head + slot * Self.flowStride
            let isWhole = withUnsafeMutableBytes(of: &entry) { bytes in
                let words = bytes.bindMemory(to: UInt64.self)
                return Self.readConsistently(start) {
                    for index in 0..<FlowEntry.words { words[index] = start[1 + index].load(ordering: .relaxed) }
                }
            }
            // Of a pump that was killed while it wrote, one flow is missing.
            if isWhole, entry.number > 0 { flows.append(entry) }
        }
        return flows
    }

    /// The names in DNS answers, from the name numbered `first` on, and the number of the next one.
    package func names(from first: UInt64) -> (names: [(address: IPAddress, name: String)], next: UInt64) {
        let next = page[5].load(ordering: .acquiring)
        guard next > first else { return ([], next) }
        let kept = max(first, next > Self.maximumNames ? next - UInt64(Self.maximumNames) : 0)
        return ((kept..<next).compactMap { name($0) }, next)
    }

    private func name(_ number: UInt64) -> (address: IPAddress, name: String)? {
        let start = page + Self.names + Int(number % UInt64(Self.maximumNames)) * Self.nameStride
        var words = [UInt64](repeating: 0, count: Self.nameStride - 1)
        let isWhole = Self.readConsistently(start) {
            for index in words.indices { words[index] = start[1 + index].load(ordering: .relaxed) }
        }
        guard isWhole else { return nil }
        let bytes = words.withUnsafeBytes { Array($0) }
        let (address, length) = (Int(clamping: words[0] & 0xFF), Int(clamping: words[0] >> 8 & 0xFFFF))
        guard address == 4 || address == 16, length <= Self.longestName else { return nil }
        return IPAddress(bytes: Array(bytes[8..<8 + address])).map {
            ($0, String(decoding: bytes[24..<24 + length], as: UTF8.self))
        }
    }

    /// Reads words after a sequence number at `start`; false if they do not stay the same for long enough.
    private static func readConsistently(_ start: UnsafeMutablePointer<Atomic<UInt64>>, _ body: () -> Void) -> Bool {
        // The pump's process writes a slot in less than a microsecond.
        for _ in 0..<100 {
            let before = start[0].load(ordering: .acquiring)
            if before & 1 == 0 {
                body()
                atomicMemoryFence(ordering: .acquiring)
                if start[0].load(ordering: .relaxed) == before { return true }
            }
            sched_yield()
        }
        return false
    }

    /// Writes the flows of a ledger that have changed since the last call; on the ledger's thread.
    func publish(_ ledger: FlowLedger, at time: Int64) {
        for slot in ledger.changed {
            let start = page + Self.head + slot * Self.flowStride
            withUnsafeBytes(of: ledger.entries[slot]) { Self.write($0.bindMemory(to: UInt64.self), to: start) }
        }
        for (lane, delays) in ledger.delays.enumerated() {
            page[Self.lanes + lane * 2].store(delays.packets, ordering: .relaxed)
            page[Self.lanes + lane * 2 + 1].store(delays.nanoseconds, ordering: .relaxed)
        }
        for name in ledger.newNames { write(name.name, of: name.address) }
        page[2].store(ledger.replaced, ordering: .relaxed)
        page[3].store(ledger.lost, ordering: .relaxed)
        page[4].store(UInt64(time), ordering: .relaxed)
        page[1].store(UInt64(ledger.entries.count), ordering: .releasing)
        ledger.forgetChanges()
    }

    private func write(_ name: String, of address: IPAddress) {
        let number = page[5].load(ordering: .relaxed)
        var words = [UInt64](repeating: 0, count: Self.nameStride - 1)
        let text = Array(name.utf8.prefix(Self.longestName))
        words[0] = UInt64(address.length) | UInt64(text.count) << 8
        words.withUnsafeMutableBytes { bytes in
            address.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: bytes.dropFirst(8)).copyMemory(from: $0) }
            UnsafeMutableRawBufferPointer(rebasing: bytes.dropFirst(24)).copyBytes(from: text)
        }
        let start = page + Self.names + Int(number % UInt64(Self.maximumNames)) * Self.nameStride
        words.withUnsafeBufferPointer { Self.write($0, to: start) }
        page[5].store(number + 1, ordering: .releasing)
    }

    private static func write(_ words: UnsafeBufferPointer<UInt64>, to start: UnsafeMutablePointer<Atomic<UInt64>>) {
        let sequence = start[0].load(ordering: .relaxed)
        start[0].store(sequence &+ 1, ordering: .relaxed)
        atomicMemoryFence(ordering: .releasing)
        for (index, word) in words.enumerated() { start[1 + index].store(word, ordering: .relaxed) }
        start[0].store(sequence &+ 2, ordering: .releasing)
    }
}
