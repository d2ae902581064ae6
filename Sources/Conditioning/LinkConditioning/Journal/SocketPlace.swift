// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

/// The location of sockets of processes that serve the network of the calling thread: files in the journal's directory,
/// in which only its user can reach them.
package struct SocketPlace: Hashable, Sendable {
    /// The ending of the names of mirrors' files. Those of networks that have ended are deleted as entries are.
    package static let mirrorEnding = "mirror"

    package let directory: String
    /// The network in the names of the files: "cookie4097".
    package let network: String

    /// The place for a new file; nil if there is no directory for this user, or the network has no number.
    package static func forNewFile() throws(ConditioningError) -> SocketPlace? {
        guard let journal = try Journal.open(), let place = try journalAnswer(JournalPlace.markingNetwork()) else {
            return nil
        }
        return SocketPlace(journal, place.network.number)
    }

    /// The place of those that are there; nil if there are none that this user could reach.
    package static var current: SocketPlace? {
        guard let journal = try? Journal.existing(), let number = NetworkIdentity.Number.current else { return nil }
        return SocketPlace(journal, number)
    }

    private init(_ journal: Journal, _ number: NetworkIdentity.Number) {
        (directory, network) = (journal.directory, JournalFile.Network.number(number).name)
    }
}
