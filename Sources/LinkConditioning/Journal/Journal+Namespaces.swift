// SPDX-License-Identifier: Apache-2.0

public import LinuxSystem

extension Journal {
    /// The names of the interfaces among `links` that have an entry, whether or not they have objects of linkcond.
    public func interfaces(_ links: [(index: Int32, name: String)]) -> [String] {
        guard let place = JournalPlace.current else { return [] }
        let known = places().filter { $0.namespace == place.namespace }.map(\.index)
        return links.filter { known.contains($0.index) }.map(\.name)
    }

    /// The entries with suspended rules in the network that the thread is in.
    public func suspended() -> [JournalEntry] {
        guard let place = JournalPlace.current else { return [] }
        return places().filter { $0.namespace == place.namespace }.compactMap { known in
            guard case .entry(let entry) = read(known.index, in: place), !entry.suspended.isEmpty else { return nil }
            return entry
        }
    }

    /// The other networks with an entry that can be entered. A network ends, with its conditions, after its last
    /// process and mount.
    public func otherNamespaces() -> [NetworkNamespace] {
        let own = JournalPlace.current?.namespace
        let known = Set(places().map(\.namespace)).subtracting([own].compactMap { $0 })
        guard !known.isEmpty else { return [] }
        let namespaces = NetworkNamespace.all
        return known.sorted().compactMap { namespaces[$0] }
    }
}
