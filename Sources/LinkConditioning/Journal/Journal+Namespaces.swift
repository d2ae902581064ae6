// SPDX-License-Identifier: Apache-2.0

public import LinuxSystem

extension Journal {
    /// The names of a network's interfaces of which the journal knows something, whether or not the kernel shows
    /// anything of ours on them.
    public func interfaces(_ links: [(index: Int32, name: String)]) -> [String] {
        guard let place = JournalPlace.current else { return [] }
        let known = places().filter { $0.namespace == place.namespace }.map(\.index)
        return links.filter { known.contains($0.index) }.map(\.name)
    }

    /// The entries of the network that the thread is in, with rules that are off.
    public func suspended() -> [JournalEntry] {
        guard let place = JournalPlace.current else { return [] }
        return places().filter { $0.namespace == place.namespace }.compactMap { known in
            guard case .entry(let entry) = read(known.index, in: place), !entry.suspended.isEmpty else { return nil }
            return entry
        }
    }

    /// The networks with an entry besides the one that the thread is in, as far as they can be entered: with the last
    /// process and mount of one its conditions are gone, too.
    public func otherNamespaces() -> [NetworkNamespace] {
        let own = JournalPlace.current?.namespace
        let known = Set(places().map(\.namespace)).subtracting([own].compactMap { $0 })
        guard !known.isEmpty else { return [] }
        let namespaces = NetworkNamespace.all
        return known.sorted().compactMap { namespaces[$0] }
    }
}
