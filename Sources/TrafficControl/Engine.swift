// SPDX-License-Identifier: Apache-2.0

/// What carries conditions.
public enum Engine: String, CaseIterable, Hashable, Sendable {
    /// The kernel's network emulator, on ifb devices.
    case netem
    /// A process of ours, over TAP devices.
    case userspace
}
