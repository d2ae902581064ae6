// SPDX-License-Identifier: Apache-2.0

/// A request to a mirror's process: one byte.
enum MirrorRequest: UInt8 {
    /// Answered by a report as JSON, and the end of the connection.
    case report = 0x72
    /// Answered by the end of the connection once the device is deleted; to another user, by a report.
    case stop = 0x73
}
