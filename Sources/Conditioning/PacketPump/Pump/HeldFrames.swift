// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Frames that faults hold back, in the order of the times at which they are sent.
struct HeldFrames {
    struct Frame {
        /// The time at which to send the frame, in nanoseconds of the monotonic clock.
        var due: Int64
        /// The frame, which starts with its link-layer header, or with its IP header if the device has none.
        var bytes: [UInt8]
        var input: Int
        var lane: Lane
        var maker: FaultMark
    }

    /// At most 1024 frames wait: they are DNS queries, of which a client sends a few a second.
    private static let maximum = 1024

    private var frames: [Frame] = []

    var isEmpty: Bool { frames.isEmpty }
    /// The time at which to send the next frame; `.max` for never.
    var next: Int64 { frames.first?.due ?? .max }

    /// Holds a frame; false if there are too many.
    mutating func add(_ frame: Frame) -> Bool {
        guard frames.count < Self.maximum else { return false }
        let index = frames.firstIndex { $0.due > frame.due } ?? frames.endIndex
        frames.insert(frame, at: index)
        return true
    }

    /// Removes and returns the next frame that is due; nil if none is.
    mutating func popDue(at now: Int64) -> Frame? {
        guard let first = frames.first, first.due <= now else { return nil }
        frames.removeFirst()
        precondition(next >= first.due, "frames are not in the order of their times")
        return first
    }
}
