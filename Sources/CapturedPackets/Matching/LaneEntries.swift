// SPDX-License-Identifier: Apache-2.0

/// A packet that has entered a lane.
struct LaneEntry {
    let sighting: PacketSighting
    let image: PacketImage
    /// Its number in the order.
    let arrival: UInt64
    /// When it is not waited for any more, in nanoseconds since 1970.
    let deadline: Int64
    var hasLeft = false
    /// Whether it may have left unseen.
    var isDoubtful = false

    /// What a packet takes besides its bytes, roughly.
    static let overhead = 400

    var size: Int { sighting.packet.bytes.count + Self.overhead }
}

/// The packets that have entered lanes, in the order in which they did, until their deadlines.
struct LaneEntries {
    /// Packets with the same image.
    private struct Same {
        /// Those that have not left, in order.
        var waiting: [Int] = []
        /// The one that has left last.
        var left: Int?
    }

    private struct LaneKey: Hashable {
        var key: PacketImage.Key
        var lane: Int
    }

    /// How many packets to compare with one that is the same as none.
    private static let mostCompared = 4096

    private var entries: [LaneEntry] = []
    /// The number of the entry at place 0, and the place of the first that has not been removed.
    private var (origin, begin) = (0, 0)
    private var same: [LaneKey: Same] = [:]
    private var doubtful = 0
    /// The bytes that they take, roughly.
    private(set) var size = 0
    private var waiting = 0

    /// Whether there are packets that have not left.
    var isWaiting: Bool { waiting > 0 }

    subscript(_ number: Int) -> LaneEntry { entries[number - origin] }

    var first: LaneEntry? { begin < entries.count ? entries[begin] : nil }

    mutating func append(_ entry: LaneEntry) {
        size += entry.size
        waiting += 1
        entries.append(entry)
        let number = origin + entries.count - 1
        same[key(entry), default: Same()].waiting.append(number)
    }

    mutating func removeFirst() -> LaneEntry? {
        guard begin < entries.count else { return nil }
        let (entry, number) = (entries[begin], origin + begin)
        let key = key(entry)
        if same[key]?.waiting.first == number { same[key]?.waiting.removeFirst() }
        if same[key]?.left == number { same[key]?.left = nil }
        if let rest = same[key], rest.left == nil, rest.waiting.isEmpty { same[key] = nil }
        size -= entry.size
        if !entry.hasLeft { waiting -= 1 }
        begin += 1
        if begin > 4096, begin * 2 > entries.count {
            entries.removeFirst(begin)
            origin += begin
            begin = 0
        }
        return entry
    }

    /// Notes that a packet has left.
    ///
    /// - Returns: whether it was the only one of its image that had not.
    mutating func leave(_ number: Int) -> Bool {
        let place = number - origin
        entries[place].hasLeft = true
        waiting -= 1
        let key = key(entries[place])
        let count = same[key]?.waiting.count
        same[key]?.waiting.removeAll { $0 == number }
        same[key]?.left = number
        return count == 1
    }

    /// Notes that all that have not left may have.
    mutating func doubt() {
        doubtful = max(doubtful, begin + origin)
        for place in max(doubtful - origin, begin)..<entries.count { entries[place].isDoubtful = true }
        doubtful = origin + entries.count
    }

    /// The packet with this image that has not left; of several, the one that entered closest to `time`.
    func waiting(_ key: PacketImage.Key, _ lane: Int, enteredAt time: Int64) -> Int? {
        guard let numbers = same[LaneKey(key: key, lane: lane)]?.waiting else { return nil }
        let after = Self.partition(numbers.indices) { entries[numbers[$0] - origin].sighting.packet.time < time }
        let next = [after - 1, after].filter(numbers.indices.contains).map { numbers[$0] }
        return next.min { distance($0, time) < distance($1, time) }
    }

    /// The packet with this image that has left last.
    func last(_ key: PacketImage.Key, _ lane: Int) -> Int? { same[LaneKey(key: key, lane: lane)]?.left }

    /// The packet that was corrupted and became `image`; of several, the one that entered closest to `time`.
    func almost(_ image: PacketImage, _ lane: Int, enteredAt time: Int64, hasLeft: Bool) -> Int? {
        var after = Self.partition(begin..<entries.count) { entries[$0].sighting.packet.time < time }
        var before = after - 1
        for _ in 0..<Self.mostCompared where before >= begin || after < entries.count {
            let isNextAfter =
                before < begin
                || after < entries.count && distance(after + origin, time) < distance(before + origin, time)
            let place = isNextAfter ? after : before
            if isNextAfter { after += 1 } else { before -= 1 }
            let entry = entries[place]
            guard entry.hasLeft == hasLeft, entry.sighting.packet.interface == lane else { continue }
            if entry.image.isCorrupted(in: image) { return place + origin }
        }
        return nil
    }

    /// The first place that is not before what is looked for.
    private static func partition(_ places: Range<Int>, _ isBefore: (Int) -> Bool) -> Int {
        var (low, high) = (places.lowerBound, places.upperBound)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(middle) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func distance(_ number: Int, _ time: Int64) -> UInt64 {
        (entries[number - origin].sighting.packet.time - time).magnitude
    }

    private func key(_ entry: LaneEntry) -> LaneKey {
        LaneKey(key: entry.image.key, lane: entry.sighting.packet.interface)
    }
}
