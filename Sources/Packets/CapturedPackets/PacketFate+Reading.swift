// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

extension PacketFate {
    /// Reads the fate in a packet's comment; nil if the comment contains none.
    package init?(comment: some StringProtocol) {
        var comment = String(comment)
        guard let fate = comment.withUTF8({ CommentReader($0).read() }) else { return nil }
        self = fate
    }

    /// - Parameter text: the bytes of a comment.
    init?(comment text: UnsafeBufferPointer<UInt8>) {
        guard let fate = CommentReader(text).read() else { return nil }
        self = fate
    }
}

/// A name to compare with words of a comment. Its bytes are never freed, so that a comparison needs no reference
/// counting.
private struct Name: @unchecked Sendable {
    let bytes: UnsafePointer<UInt8>
    let count: Int

    init(_ text: String) {
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: text.utf8.count)
        for (index, byte) in text.utf8.enumerated() { (copy + index).initialize(to: byte) }
        (bytes, count) = (UnsafePointer(copy), text.utf8.count)
    }
}

/// Reads the words of a comment without a copy: a capture may hold millions of comments.
private struct CommentReader {
    /// The most wire packets in a super-packet: its length has 16 bits, and each wire packet has at least one byte.
    private static let maximumPackets = 1 << 16

    private static let lanes = Lane.allCases.map { ($0, Name($0.name)) }
    private static let fates = ([.passed, .duplicate, .corrupted, .marked] as [Fate]).map { ($0, Name($0.name)) }
    private static let dropped = Name(Fate.dropped(nil).name)
    private static let reasons = DropReason.plain.map { ($0, Name($0.name)) }

    private let bytes: UnsafeBufferPointer<UInt8>

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    func read() -> PacketFate? {
        var lane: Lane?
        var (fate, reason): (Range<Int>?, Range<Int>?)
        var (due, delay, packets): (Int64?, Int64?, Int?)
        var isCopy = false
        var maker: FaultMark?
        var start = 0
        while start < bytes.count {
            let end = index(of: UInt8(ascii: " "), in: start..<bytes.count)
            defer { start = end + 1 }
            if start == end { continue }
            let key = start..<index(of: UInt8(ascii: "="), in: start..<end)
            guard !key.isEmpty, key.upperBound + 1 < end else { return nil }
            let value = key.upperBound + 1..<end
            switch key.count {
            case 4 where holds("lane", at: key):
                guard lane == nil, let known = Self.lanes.first(where: { holds($0.1, at: value) }) else { return nil }
                lane = known.0
            case 4 where holds("fate", at: key):
                guard fate == nil else { return nil }
                fate = value
            case 6 where holds("reason", at: key):
                guard reason == nil else { return nil }
                reason = value
            case 3 where holds("due", at: key):
                guard due == nil, let time = duration(value) else { return nil }
                due = time
            case 5 where holds("delay", at: key): delay = delay ?? duration(value)
            case 4 where holds("made", at: key):
                guard maker == nil, let mark = mark(value) else { return nil }
                maker = mark
            case 4 where holds("copy", at: key): isCopy = holds("1", at: value)
            case 7 where holds("packets", at: key):
                guard packets == nil, let count = Int(String(decoding: bytes[value], as: UTF8.self)),
                    1...Self.maximumPackets ~= count
                else { return nil }
                packets = count
            default: break
            }
        }
        guard let lane, let fate = fate.flatMap({ known($0, reason) }) else { return nil }
        var result = PacketFate(lane: lane, fate, due: nil, delay: nil)
        (result.dueNanoseconds, result.delayNanoseconds) = (due, delay)
        (result.packets, result.isCopy, result.maker) = (packets ?? 1, isCopy, maker)
        return result
    }

    private func known(_ name: Range<Int>, _ reason: Range<Int>?) -> Fate? {
        if let known = Self.fates.first(where: { holds($0.1, at: name) }) { return known.0 }
        guard holds(Self.dropped, at: name) else { return nil }
        return .dropped(
            reason.flatMap { reason in
                Self.reasons.first { holds($0.1, at: reason) }?.0 ?? mark(reason).map(DropReason.fault)
            }
        )
    }

    private func mark(_ word: Range<Int>) -> FaultMark? {
        // Faults are rare, so that a string may be allocated here.
        guard word.count < 32, holds("fault", at: word.prefix(5)) else { return nil }
        return FaultMark(name: String(decoding: bytes[word], as: UTF8.self))
    }

    /// The index of the first `byte` in `range`; the end of `range` if there is none.
    private func index(of byte: UInt8, in range: Range<Int>) -> Int {
        var index = range.lowerBound
        while index < range.upperBound, bytes[index] != byte { index += 1 }
        return index
    }

    private func holds(_ word: StaticString, at range: Range<Int>) -> Bool {
        word.utf8CodeUnitCount == range.count && isEqual(word.utf8Start, at: range)
    }

    private func holds(_ name: Name, at range: Range<Int>) -> Bool {
        name.count == range.count && isEqual(name.bytes, at: range)
    }

    private func isEqual(_ word: UnsafePointer<UInt8>, at range: Range<Int>) -> Bool {
        var index = 0
        while index < range.count {
            if bytes[range.lowerBound + index] != word[index] { return false }
            index += 1
        }
        return true
    }

    /// A time in milliseconds with six decimal places, such as "-1.500000ms", in nanoseconds.
    private func duration(_ text: Range<Int>) -> Int64? {
        let isNegative = bytes[text.lowerBound] == UInt8(ascii: "-")
        let (start, end) = (text.lowerBound + (isNegative ? 1 : 0), text.upperBound - 2)
        guard 8...20 ~= end - start, bytes[end] == UInt8(ascii: "m"), bytes[end + 1] == UInt8(ascii: "s") else {
            return nil
        }
        var nanoseconds: Int64 = 0
        var index = start
        while index < end {
            defer { index += 1 }
            let byte = bytes[index]
            if index == end - 7 {
                guard byte == UInt8(ascii: ".") else { return nil }
            } else {
                guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
                nanoseconds = nanoseconds * 10 + Int64(byte - UInt8(ascii: "0"))
                guard nanoseconds < 1 << 59 else { return nil }
            }
        }
        return isNegative ? -nanoseconds : nanoseconds
    }
}
