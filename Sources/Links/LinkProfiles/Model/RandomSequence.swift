// SPDX-License-Identifier: Apache-2.0

/// The random decisions that a seed makes about packets.
public enum RandomSequence {
    /// The version of the decisions. With the same version, a seed loses the same packets on every machine.
    ///
    /// In version 1 all decisions followed the order of the packets in a lane. Since version 2 those without memory follow
    /// each packet's place in its flow.
    public static let version = 2
}
