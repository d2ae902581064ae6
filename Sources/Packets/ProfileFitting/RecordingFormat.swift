// SPDX-License-Identifier: Apache-2.0

/// A recording of a real link, to which a profile is fitted.
package enum RecordingFormat: String, CaseIterable, Sendable {
    /// The output of ping or fping.
    case ping
    /// A capture of packets: pcap or pcapng.
    case pcap
}
