// SPDX-License-Identifier: Apache-2.0

/// The implementation of conditions.
public enum Engine: String, CaseIterable, Hashable, Sendable {
    /// The kernel's network emulator, on ifb devices.
    case netem
    /// A packet pump: a process of linkcond, over TAP devices.
    case userspace
}
