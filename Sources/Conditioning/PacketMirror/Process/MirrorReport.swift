// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// The report of a mirror's process on itself.
package struct MirrorReport: Hashable, Sendable {
    /// The name and the index of the device.
    package var name: String
    package var index: Int32
    /// The source that it shows, for people.
    package var source: String
    /// Seconds since 1970 when it began.
    package var began: Int64
    /// The packets that it has shown; a super-packet counts as one.
    package var packets: UInt64 = 0
    /// The packets of the source that it has not shown: there was no room for them, or they are too long.
    package var dropped: UInt64 = 0
}

extension MirrorReport: JSONObject {
    package static let blank = MirrorReport(name: "", index: 0, source: "", began: 0)

    package mutating func describe(_ members: inout JSONMembers) {
        members.required("name", &name)
        members.required("index", &index)
        members.required("source", &source)
        members.required("began", &began)
        members.required("packets", &packets)
        members.required("dropped", &dropped)
    }
}
