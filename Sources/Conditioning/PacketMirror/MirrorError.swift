// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
internal import Netlink

/// The reason why a mirror could not be made, found or ended.
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
        /// The mirror's process does not respond.
        case silent
    }

    /// A remedy; a string is advice to use another program.
    package enum Remedy: Hashable, Sendable, ExpressibleByStringInterpolation {
        case advice(String)
        /// List the mirrors.
        case list
        /// End the mirror of this name as root.
        case stopAsRoot(String)
        /// Make the mirror as root.
        case mirrorAsRoot
        /// Load the module tun, or examine the machine.
        case loadModule
        /// Name an interface or another network.
        case nameSource

        package init(stringLiteral advice: String) { self = .advice(advice) }
    }

    package let code: Code
    /// The failed operation with its object, and the reason.
    package let message: String
    /// A remedy; nil if there is none.
    package let remedy: Remedy?

    init(_ code: Code, _ message: String, remedy: Remedy? = nil) {
        (self.code, self.message, self.remedy) = (code, message, remedy)
    }

    init(_ error: SystemError) { self.init("\(error)", errno: error.code) }

    private init(_ message: String, errno: CInt) {
        switch errno {
        case EPERM, EACCES: self.init(.notPermitted, message, remedy: .mirrorAsRoot)
        default: self.init(.refused, message)
        }
    }

    package var description: String { message }

    /// Runs `body`, and turns its errors into a ``MirrorError``.
    static func catching<Value>(_ body: () throws -> Value) throws(MirrorError) -> Value {
        do {
            return try body()
        } catch let error as MirrorError {
            throw error
        } catch let error as SystemError {
            throw MirrorError(error)
        } catch let error as NetlinkError {
            throw MirrorError("\(error)", errno: error.code)
        } catch {
            throw MirrorError(.refused, "\(error)")
        }
    }
}
