// SPDX-License-Identifier: Apache-2.0

/// The frame that rates, queues and overheads count on every device: an IP packet with an Ethernet header.
public enum Frame {
    /// The bytes ahead of the IP packet.
    public static let headerBytes = 14
    /// The bytes of a frame that holds a packet of 1500 bytes.
    public static let fullSizeBytes = 1514
}
