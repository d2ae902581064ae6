// SPDX-License-Identifier: Apache-2.0

extension Status {
    /// The state and reason, with the host or router that reported it.
    package var words: String {
        var text = state.rawValue
        if let reason { text += " (\(reason))" }
        if let offender = observation?.offender, state.isDown, !addresses.contains(where: { $0.address == offender }) {
            text += ", says \(offender)"
        }
        if let via { text += ", via \(via)" }
        return text
    }
}
