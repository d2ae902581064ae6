// SPDX-License-Identifier: Apache-2.0

import ProfileFormats

extension FuzzTarget {
    /// An archive that a pane has saved.
    static let archive = FuzzTarget(
        "archive",
        seeds: [
            {
                var archive = TarArchive()
                archive.add("scenario.json", Array(#"{"name": "x", "profile": "LTE"}"#.utf8))
                archive.add("README.txt", [])
                return archive.bytes(time: 1_764_450_000)
            }()
        ]
    ) { bytes in
        let archive: TarArchive
        do throws(TarArchive.Malformed) {
            archive = try TarArchive(bytes)
        } catch {
            return require(!error.description.isEmpty, "refused without a reason")
        }
        require(archive.files.reduce(0) { $0 + $1.content.count } <= bytes.count, "more than the archive has")
        require(
            (try? TarArchive(archive.bytes(time: 0))) == archive,
            "\(archive.files.map(\.name)) is written otherwise"
        )
    }
}
