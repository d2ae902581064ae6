// SPDX-License-Identifier: Apache-2.0

/// The random decisions that a seed makes about packets.
public enum RandomSequence {
    /// The version of the algorithm. With the same version, a seed loses the same packets on every machine.
    ///
    /// In version 1, all decisions depended on the order of packets in the lane. Since version 2, decisions without
    /// memory depend on each packet's position in its flow.
    public static let version = 2
}
