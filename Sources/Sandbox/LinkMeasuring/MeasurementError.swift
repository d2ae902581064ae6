// SPDX-License-Identifier: Apache-2.0

/// Why a link could not be measured.
package struct MeasurementError: Error, CustomStringConvertible {
    package enum Kind {
        /// This machine, or the peer, cannot measure the link.
        case unavailable
        case notPermitted
        /// A defect of linkcond.
        case internalError
    }

    package let kind: Kind
    package let description: String

    init(_ kind: Kind, _ description: String) { (self.kind, self.description) = (kind, description) }
}
