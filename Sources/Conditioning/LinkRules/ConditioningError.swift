// SPDX-License-Identifier: Apache-2.0

import Glibc
package import LinuxSystem
public import Netlink

/// The reason why conditions were not applied, changed or removed, and what to do about it.
public struct ConditioningError: Error, Hashable, Sendable {
    /// The kind of failure. Programs can rely on these codes; later versions may add more.
    public struct Code: Hashable, Sendable {
        private let name: String

        /// There is no such interface, namespace or rule, or it has been deleted meanwhile.
        public static let notFound = Code(name: "notFound")
        /// The kernel or the device does not support the request.
        public static let unsupported = Code(name: "unsupported")
        /// The process lacks CAP_NET_ADMIN in this network namespace.
        public static let notPermitted = Code(name: "notPermitted")
        /// The kernel refused for another reason.
        public static let refused = Code(name: "refused")
        /// The kernel's state differs from what was requested.
        public static let mismatch = Code(name: "mismatch")
        /// A limit is exceeded, such as the number of selectors or rules.
        public static let tooMuch = Code(name: "tooMuch")
        /// Another process is changing the same interface.
        public static let busy = Code(name: "busy")
        /// The request does not identify exactly one rule.
        public static let ambiguous = Code(name: "ambiguous")
        /// The request contradicts itself or the situation.
        public static let invalidRequest = Code(name: "invalidRequest")
        /// The journal cannot be written, so nothing may be changed.
        public static let journal = Code(name: "journal")
    }

    /// The kind of failure.
    public var code: Code
    /// The failed operation with its object, and the reasons for the failure; one reason a line.
    public var message: String
    /// A remedy; nil if none is known.
    public var remedy: Remedy?
    /// Whether the steps before the failure were undone; nil if there were none.
    public var aftermath: String?
    /// Whether undoing failed too, so that some changes remain.
    public var isIncomplete = false

    /// Makes an error.
    public init(_ code: Code, _ message: String, remedy: Remedy? = nil) {
        self.code = code
        self.message = message
        self.remedy = remedy
    }

    package init(_ code: Code, _ error: SystemError) {
        self.init(code, error.description)
    }

    /// Makes an error from a failure to enter a network namespace.
    package init(entering namespace: NetworkNamespace, _ error: SystemError) {
        switch error.code {
        case ENOENT, EINVAL, ESRCH: self.init(.notFound, error.description, remedy: "ip netns list")
        default: self.init(.notPermitted, error.description, remedy: "run it as root")
        }
    }

    /// Makes an error from the kernel's reply.
    public init(_ error: NetlinkError) {
        switch error.code {
        case EPERM, EACCES:
            self.init(.notPermitted, error.description, remedy: Remedy(.becomeRoot))
        case ENODEV:
            let remedy = error.missingInterface.map { Remedy(.nameInterface, $0) } ?? "ip link"
            self.init(.notFound, error.description, remedy: remedy)
        case ENOENT, EOPNOTSUPP, EAFNOSUPPORT:
            self.init(.unsupported, error.description, remedy: Remedy(.examine))
        default: self.init(.refused, error.description)
        }
    }
}

extension ConditioningError: CustomStringConvertible {
    /// Message and aftermath, each on a line.
    public var description: String {
        [message, aftermath].compactMap { $0 }.joined(separator: "\n")
    }
}
