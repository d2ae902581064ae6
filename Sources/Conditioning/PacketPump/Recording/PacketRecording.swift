// SPDX-License-Identifier: Apache-2.0

package import CapturedPackets
internal import LinuxSystem

/// Writes the packets that pumps record to a file.
package protocol PacketRecording: AnyObject, Sendable {
    /// The bytes to keep of each packet.
    var limits: PacketRecorder.Limits { get }

    /// Writes the packets that a pump on `device` records from now on, until ``finish()``.
    ///
    /// - Parameter inputs: the pump's TAP devices.
    func add(_ recorder: PacketRecorder, of device: String, inputs: [PumpInput])

    /// The reason why no more packets are written; nil as long as they are.
    var problem: String? { get }

    /// Writes the packets seen before `time`, in nanoseconds of the monotonic clock; all must have been recorded.
    ///
    /// - Returns: the packets in the file; nil if the writer does not respond.
    func flush(until time: Int64) -> WrittenPackets?

    /// Writes the remaining packets, after the pumps have ended.
    ///
    /// - Returns: why not all packets could be written; nil if they were.
    func finish() -> String?

    /// The digest of the whole file, after ``finish()``; nil if it has none.
    var digest: CaptureDigest.Value? { get }
}

/// The packets that are in the file. Times are in nanoseconds of the run's clock.
package struct WrittenPackets: Hashable, Sendable {
    /// Packets that the host sent or received before this moment are in the file.
    package var seen: Int64
    /// Packets that either side sent before this moment are in the file.
    package var sent: Int64

    package init(seen: Int64, sent: Int64) { (self.seen, self.sent) = (seen, sent) }
}

/// The file for the packets of a pump's process, and how to write it.
package struct PumpCaptureStart: DescriptorHolder, Sendable {
    /// The open files that the recording needs.
    package var descriptors: [CInt]
    /// Makes the recording; called in the process.
    package var begin: @Sendable () -> any PacketRecording

    package init(descriptors: [CInt], begin: @escaping @Sendable () -> any PacketRecording) {
        self.descriptors = descriptors
        self.begin = begin
    }
}
