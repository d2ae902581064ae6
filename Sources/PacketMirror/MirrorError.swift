// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
internal import Netlink

/// Why a mirror could not be made, found or ended.
package struct MirrorError: Error, Hashable, CustomStringConvertible {
    /// The kind of failure.
    package enum Code: Hashable, Sendable {
        /// The request contradicts itself or the rules for names.
        case invalidRequest
        /// There is no such interface, network, process or mirror.
        case notFound
        /// A device has the name.
        case nameTaken
        /// The machine lacks a feature.
        case unsupported
        /// The process lacks a right.
        case notPermitted
        /// The kernel refused for another reason.
        case refused
        /// The mirror's process does not answer.
        case silent
    }

    /// The kind of failure.
    package let code: Code
    /// What was being done to what, and the reason.
    package let message: String
    /// What to type next; nil if nothing would help.
    package let remedy: String?

    init(_ code: Code, _ message: String, remedy: String? = nil) {
        (self.code, self.message, self.remedy) = (code, message, remedy)
    }

    init(_ error: SystemError) {
        switch error.code {
        case EPERM, EACCES: self.init(.notPermitted, "\(error)", remedy: "sudo linkcond capture --mirror NAME ...")
        default: self.init(.refused, "\(error)")
        }
    }

    init(_ error: NetlinkError) {
        switch error.code {
        case EPERM, EACCES: self.init(.notPermitted, "\(error)", remedy: "sudo linkcond capture --mirror NAME ...")
        default: self.init(.refused, "\(error)")
        }
    }

    /// Message and remedy, each on a line.
    package var description: String {
        [message, remedy.map { "try: \($0)" }].compactMap { $0 }.joined(separator: "\n")
    }

    /// Runs `body` and turns what the kernel refuses into an error of this type.
    static func catching<Value>(_ body: () throws -> Value) throws(MirrorError) -> Value {
        do {
            return try body()
        } catch let error as MirrorError {
            throw error
        } catch let error as SystemError {
            throw MirrorError(error)
        } catch let error as NetlinkError {
            throw MirrorError(error)
        } catch {
            throw MirrorError(.refused, "\(error)")
        }
    }
}
