// SPDX-License-Identifier: Apache-2.0

import Glibc
package import LinuxSystem
public import Netlink

/// Why conditions were not applied, changed or removed, and what to do about it.
public struct ConditioningError: Error, Hashable, Sendable {
    /// The kind of failure, stable for programs to act on; more may be added.
    public struct Code: Hashable, Sendable {
        private enum Value: Hashable {
            case notFound, unsupported, notPermitted, refused, mismatch, tooMuch, busy, journal, ambiguous,
                invalidRequest
        }
        private let value: Value

        /// There is no such interface, namespace or rule; or it went away meanwhile.
        public static let notFound = Code(value: .notFound)
        /// The kernel, or the device as it is set up, cannot do what was asked.
        public static let unsupported = Code(value: .unsupported)
        /// The process lacks CAP_NET_ADMIN in this network namespace.
        public static let notPermitted = Code(value: .notPermitted)
        /// The kernel refused for a reason that nobody foresaw.
        public static let refused = Code(value: .refused)
        /// The kernel has something else than was asked for.
        public static let mismatch = Code(value: .mismatch)
        /// More was asked than fits, such as selectors or rules.
        public static let tooMuch = Code(value: .tooMuch)
        /// Somebody else is changing the same interface.
        public static let busy = Code(value: .busy)
        /// Not exactly one rule is meant.
        public static let ambiguous = Code(value: .ambiguous)
        /// The request contradicts itself or the situation.
        public static let invalidRequest = Code(value: .invalidRequest)
        /// The journal cannot be kept, so that nothing may be changed.
        public static let journal = Code(value: .journal)
    }

    /// The kind of failure.
    public var code: Code
    /// What was being done to what, and what stands in the way; several lines where there are several reasons.
    public var message: String
    /// What to type or to change next.
    public var remedy: String?
    /// What became of what had been done before the failure, where anything had.
    public var aftermath: String?
    /// Whether undoing failed too, so that something is left to be undone.
    public var isIncomplete = false

    /// Makes an error.
    public init(_ code: Code, _ message: String, remedy: String? = nil) {
        self.code = code
        self.message = message
        self.remedy = remedy
        aftermath = nil
    }

    /// Makes an error of a system call's refusal.
    package init(_ code: Code, _ error: SystemError) {
        self.init(code, error.description)
    }

    /// Makes an error of a refusal to enter a network namespace.
    package init(entering namespace: NetworkNamespace, _ error: SystemError) {
        switch error.code {
        case ENOENT, EINVAL, ESRCH: self.init(.notFound, error.description, remedy: "ip netns list")
        default: self.init(.notPermitted, error.description, remedy: "run it as root")
        }
    }

    /// Makes an error of the kernel's refusal.
    public init(_ error: NetlinkError) {
        switch error.code {
        case EPERM, EACCES:
            self.init(
                .notPermitted,
                error.description,
                remedy: "run it as root (sudo linkcond ...) or in a namespace of your own (unshare -rn)"
            )
        case ENODEV: self.init(.notFound, error.description, remedy: "ip link")
        case ENOENT, EOPNOTSUPP, EAFNOSUPPORT:
            self.init(.unsupported, error.description, remedy: "linkcond doctor")
        default: self.init(.refused, error.description)
        }
    }
}

extension ConditioningError: CustomStringConvertible {
    /// Message, aftermath and remedy, each on a line.
    public var description: String {
        [message, aftermath, remedy.map { "try: \($0)" }].compactMap { $0 }.joined(separator: "\n")
    }
}
