// SPDX-License-Identifier: Apache-2.0

/// A dictionary of bounded size that removes the least recently used entry when it is full.
struct RecentTable<Key: Hashable, Value> {
    private struct Entry {
        var key: Key
        var value: Value
        /// The neighbours in the order of use; -1 for none.
        var newer = -1
        var older = -1
    }

    private let limit: Int
    private var entries: [Entry] = []
    private var indices: [Key: Int] = [:]
    private var newest = -1
    private var oldest = -1
    /// The first of the free entries, which are linked by `older`.
    private var free = -1

    init(limit: Int) { self.limit = limit }

    var count: Int { indices.count }

    /// The value of a key; reading it does not count as a use.
    subscript(key: Key) -> Value? { indices[key].map { entries[$0].value } }

    /// Sets the value of a key, which becomes the most recently used one; returns the entry removed to make room.
    @discardableResult
    mutating func use(_ key: Key, _ value: Value) -> (key: Key, value: Value)? {
        if let index = indices[key] {
            entries[index].value = value
            guard index != newest else { return nil }
            unlink(index)
            link(index)
            return nil
        }
        let forgotten = count >= limit ? removeOldest() : nil
        let index: Int
        if free >= 0 {
            index = free
            free = entries[index].older
            entries[index] = Entry(key: key, value: value)
        } else {
            index = entries.count
            entries.append(Entry(key: key, value: value))
        }
        indices[key] = index
        link(index)
        precondition(count <= max(limit, 1), "more is remembered than may be")
        return forgotten
    }

    /// Removes and returns the least recently used entry; nil if the table is empty.
    @discardableResult
    mutating func removeOldest() -> (key: Key, value: Value)? {
        guard oldest >= 0 else { return nil }
        let (index, entry) = (oldest, entries[oldest])
        unlink(index)
        entries[index].older = free
        free = index
        indices[entry.key] = nil
        return (entry.key, entry.value)
    }

    private mutating func unlink(_ index: Int) {
        let (newer, older) = (entries[index].newer, entries[index].older)
        precondition((newer < 0 ? newest : entries[newer].older) == index, "an entry is linked twice, or not at all")
        precondition((older < 0 ? oldest : entries[older].newer) == index, "an entry is linked twice, or not at all")
        if newer >= 0 { entries[newer].older = older } else { newest = older }
        if older >= 0 { entries[older].newer = newer } else { oldest = newer }
    }

    private mutating func link(_ index: Int) {
        (entries[index].newer, entries[index].older) = (-1, newest)
        if newest >= 0 { entries[newest].newer = index } else { oldest = index }
        newest = index
    }
}
