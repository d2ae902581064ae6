// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The reason why a TAP device, or a veth pair in its place, could not be made.
package struct TapError: Error, Equatable, CustomStringConvertible {
    /// The operation, in terms of the kernel's interface.
    let operation: String
    /// The errno.
    let code: Int32

    /// - Parameter result: a negative errno.
    init(_ operation: String, _ result: Int32) {
        self.operation = operation
        code = -result
    }

    /// The operation, the reason and the remedy.
    package var description: String {
        let remedy =
            switch code {
            case let code where [ENOENT, ENXIO, ENODEV].contains(code) && operation.hasPrefix("open"):
                "there is no /dev/net/tun; load the module tun, or give the container the device"
            case EPERM where operation.contains("packet socket") || operation.contains("veth"):
                "not permitted; needs CAP_NET_ADMIN and CAP_NET_RAW in this network"
            case EPERM, EACCES: "not permitted; needs access to /dev/net/tun and CAP_NET_ADMIN in this network"
            case EINVAL, ENOTTY, EOPNOTSUPP: "not supported by this kernel"
            case EBUSY, EEXIST: "a device of that name exists"
            case ENOMEM, ENFILE, EMFILE, ENOBUFS: "too many open files or out of memory"
            default: "errno \(code)"
            }
        return "\(operation): \(remedy)"
    }
}
