// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

extension Journal {
    /// The indexes of the interfaces with an entry in the network that the thread is in.
    func indexes() -> [Int32] {
        guard let place = JournalPlace.current else { return [] }
        return Set(files().filter { $0.isOf(place) }.map(\.index)).sorted()
    }

    /// The entries with suspended rules in the network that the thread is in.
    func suspended() -> [JournalEntry] {
        guard let place = JournalPlace.current else { return [] }
        return indexes().compactMap { index in
            guard case .entry(let entry) = read(index, in: place), !entry.suspended.isEmpty else { return nil }
            return entry
        }
    }

    /// The other networks with an entry that can be entered. A network ends, with its conditions, after its last
    /// process and mount.
    func otherNamespaces() -> [NetworkNamespace] {
        let own = JournalPlace.current?.network.number
        let numbers = Set(files().compactMap(\.number)).subtracting([own].compactMap { $0 })
        guard !numbers.isEmpty else { return [] }
        let living = LivingNetworks.find { NetworkIdentity.Number.currentIfReadable }.known
        return living.filter { numbers.contains($0.key) }
            .map { number, namespace in .numbered(number, namespace.path) }
            .sorted { $0.description < $1.description }
    }
}
