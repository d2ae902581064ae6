// SPDX-License-Identifier: Apache-2.0

public import DequeModule
public import HeapModule

/// Puts elements into order that come in streams, each of which is mostly in order already.
///
/// An element that is not before the last of its stream waits there; only late ones go through a heap. Equal elements of
/// one stream keep their order.
///
/// Public, since the compiler specializes no package declarations of another module: unspecialized, the queue takes forty
/// times as long.
public struct MergeQueue<Element: Comparable> {
    @usableFromInline var streams: [Deque<Element>]
    /// The elements that were before the last of their stream.
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

    /// Removes the earliest element if `mayLeave` is true of it; nil if it is not, or the queue is empty.
    @inlinable public mutating func removeFirst(where mayLeave: (Element) -> Bool) -> Element? {
        guard let stream = earliest else { return nil }
        guard stream < streams.count else { return late.min.map(mayLeave) == true ? late.popMin() : nil }
        return mayLeave(streams[stream][0]) ? streams[stream].removeFirst() : nil
    }

    /// The stream of the earliest element, or the number of streams if that is a late one; nil if the queue is empty.
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
