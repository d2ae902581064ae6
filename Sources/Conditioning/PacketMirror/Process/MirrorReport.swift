// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// What a mirror's process says of itself.
package struct MirrorReport: Hashable, Sendable {
    /// The name and the index of the device.
    package var name: String
    package var index: Int32
    /// What it shows, for people.
    package var source: String
    /// Seconds since 1970 when it began.
    package var began: Int64
    /// The packets that it has shown; a super-packet counts as one.
    package var packets: UInt64 = 0
    /// The packets of the source that it has not shown: there was no room for them, or they are too long.
    package var dropped: UInt64 = 0
}

extension MirrorReport {
    /// Reads a report; nil if it is none.
    init?(json: JSON) {
        guard let name: String = json.required("name"), let index: Int32 = json.required("index"),
            let source: String = json.required("source"), let began: Int64 = json.required("began"),
            let packets: UInt64 = json.required("packets"), let dropped: UInt64 = json.required("dropped")
        else { return nil }
        self.init(name: name, index: index, source: source, began: began, packets: packets, dropped: dropped)
    }

    package var json: JSON {
        JSON(
            ("name", .text(name)),
            ("index", .number(index)),
            ("source", .text(source)),
            ("began", .number(began)),
            ("packets", .number(packets)),
            ("dropped", .number(dropped))
        )
    }
}
