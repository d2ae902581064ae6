// SPDX-License-Identifier: Apache-2.0

public import DequeModule
public import HeapModule

/// Merges several streams of elements into one sorted stream; each stream is mostly sorted already.
///
/// An element that does not precede the last of its stream is appended to the stream's queue; only late elements go
/// through a heap. Equal elements of one stream keep their order.
///
/// Public because the compiler does not specialize another module's package declarations, and an unspecialized queue is
/// forty times slower.
public struct MergeQueue<Element: Comparable> {
    @usableFromInline var streams: [Deque<Element>]
    /// The late elements: each preceded the last element of its stream when it was added.
    @usableFromInline var late = Heap<Element>()

    /// - Parameter streams: the number of streams.
    @inlinable public init(streams: Int) { self.streams = Array(repeating: Deque(), count: streams) }

    /// The number of elements.
    @inlinable public var count: Int { streams.reduce(late.count) { $0 + $1.count } }

    /// All elements, in no order.
    @inlinable public var elements: some Sequence<Element> {
        [streams.lazy.joined().map { $0 }, late.unordered].lazy.joined()
    }

    /// The earliest element; nil if the queue is empty.
    @inlinable public var first: Element? { earliest.flatMap { $0 < streams.count ? streams[$0].first : late.min } }

    /// Adds an element of a stream.
    @inlinable public mutating func add(_ element: Element, stream: Int = 0) {
        guard let last = streams[stream].last, element < last else { return streams[stream].append(element) }
        late.insert(element)
    }

    /// Removes the earliest element if `mayLeave` returns true for it; returns nil if it does not, or the queue is
    /// empty.
    @inlinable public mutating func removeFirst(where mayLeave: (Element) -> Bool) -> Element? {
        guard let stream = earliest else { return nil }
        guard stream < streams.count else { return late.min.map(mayLeave) == true ? late.popMin() : nil }
        return mayLeave(streams[stream][0]) ? streams[stream].removeFirst() : nil
    }

    /// The index of the stream with the earliest element, or `streams.count` if a late element is the earliest; nil if
    /// the queue is empty.
    @inlinable var earliest: Int? {
        var earliest: Int?
        for stream in streams.indices where !streams[stream].isEmpty {
            if let known = earliest, !(streams[stream][0] < streams[known][0]) { continue }
            earliest = stream
        }
        guard let late = late.min else { return earliest }
        if let earliest, streams[earliest][0] < late { return earliest }
        return streams.count
    }
}
