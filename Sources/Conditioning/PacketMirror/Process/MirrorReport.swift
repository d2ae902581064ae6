// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// A report about a mirror, from the mirror's process.
package struct MirrorReport: Hashable, Sendable {
    /// The name and the index of the device.
    package var name: String
    package var index: Int32
    /// The source that the mirror shows, for people to read.
    package var source: String
    /// The time at which the mirror started, in seconds since 1970.
    package var began: Int64
    /// The number of packets shown; a super-packet counts as one.
    package var packets: UInt64 = 0
    /// The number of the source's packets that were not shown: there was no room for them, or they are too long.
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
