// SPDX-License-Identifier: Apache-2.0

/// Why a TAP device could not be made.
public struct TapError: Error, Equatable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Sendable, Equatable {
        /// There is no /dev/net/tun: the kernel has no TUN, or the container lacks the device.
        case noDevice
        /// /dev/net/tun cannot be opened (0600 on some machines), or CAP_NET_ADMIN is missing in this network.
        case notPermitted
        /// The kernel lacks a feature that the pump needs.
        case unsupported
        /// A device of that name exists.
        case nameTaken
        /// The limit of open files or of memory is reached.
        case exhausted
        /// Another failure; see ``errno``.
        case other
    }

    /// The kind of failure.
    public let code: Code
    /// The operation, in terms of the kernel's interface.
    public let operation: String
    /// The errno, positive.
    public let errno: Int32

    init(_ operation: String, _ result: Int32) {
        self.operation = operation
        errno = -result
        code =
            switch -result {
            case 2, 6, 19: operation.hasPrefix("open") ? .noDevice : .other
            case 1, 13: .notPermitted
            case 22, 25, 95: .unsupported
            case 16, 17: .nameTaken
            case 12, 23, 24, 105: .exhausted
            default: .other
            }
    }

    /// The operation, the reason and the remedy.
    public var description: String {
        let remedy =
            switch code {
            case .noDevice: "there is no /dev/net/tun; load the module tun, or give the container the device"
            case .notPermitted: "not permitted; needs access to /dev/net/tun and CAP_NET_ADMIN in this network"
            case .unsupported: "not supported by this kernel"
            case .nameTaken: "a device of that name exists"
            case .exhausted: "too many open files or out of memory"
            case .other: "errno \(errno)"
            }
        return "\(operation): \(remedy)"
    }
}
