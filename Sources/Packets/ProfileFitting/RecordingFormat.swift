// SPDX-License-Identifier: Apache-2.0

/// A recording of a real link, to which a profile is fitted.
package enum RecordingFormat: String, CaseIterable, Sendable {
    /// What ping or fping prints.
    case ping
    /// A capture of packets: pcap or pcapng.
    case pcap
}
