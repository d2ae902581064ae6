// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import ProfileCatalog

/// The profiles of a catalog, read again when a directory or a file in it has changed. For use by one thread.
final class CatalogReading {
    let catalog: Catalog
    private var latest: (time: ContinuousClock.Instant, stamp: CatalogStamp, list: JSON)?

    /// How long a look at the directories counts: the page asks often.
    static let interval = Duration.seconds(1)

    init(_ catalog: Catalog) { self.catalog = catalog }

    /// The profiles as the page lists them.
    func list(at now: ContinuousClock.Instant = .now) -> JSON {
        if let latest, now - latest.time < Self.interval { return latest.list }
        // Taken before the reading: a change meanwhile makes the next stamp differ.
        let stamp = CatalogStamp(catalog)
        let list = latest.flatMap { $0.stamp == stamp ? $0.list : nil } ?? ProfileListJSON.list(catalog)
        latest = (now, stamp, list)
        return list
    }
}
