// SPDX-License-Identifier: Apache-2.0

/// The colours of a page: one set for light screens and paper, one for dark screens.
///
/// The colours of the two directions are blue and orange, which people with the usual colour blindnesses can tell apart
/// (after Okabe and Ito, 2008). No meaning depends on a colour alone.
struct Palette {
    /// The role of a colour in a page.
    enum Role: String, CaseIterable {
        case page
        case panel
        case text
        case muted
        case rule
        case uplink
        case downlink
        case waiting
        case good
        case bad
        case doubt
        /// The backgrounds of a verdict's text.
        case goodPanel
        case badPanel
        case doubtPanel
    }

    private let colors: [Role: UInt32]

    static let light = Palette(colors: [
        .page: 0xFFFFFF, .panel: 0xF3F5F8, .text: 0x1A2129, .muted: 0x515C68, .rule: 0x808A96, .uplink: 0x0B6BA8,
        .downlink: 0xA85400, .waiting: 0x7D8792, .good: 0x14743A, .bad: 0xB3261E, .doubt: 0x6B4FA0,
        .goodPanel: 0xDFF3E5, .badPanel: 0xFBE4E1, .doubtPanel: 0xECE6F7,
    ])

    static let dark = Palette(colors: [
        .page: 0x12161B, .panel: 0x1B2128, .text: 0xE7ECF2, .muted: 0xA7B2BE, .rule: 0x6F7B88, .uplink: 0x5AB4EC,
        .downlink: 0xF0A23A, .waiting: 0x8A95A1, .good: 0x5CCB87, .bad: 0xFF8B82, .doubt: 0xC2ABF2,
        .goodPanel: 0x14301F, .badPanel: 0x3D1A18, .doubtPanel: 0x2A2440,
    ])

    private init(colors: [Role: UInt32]) { self.colors = colors }

    subscript(role: Role) -> UInt32 { colors[role] ?? 0 }

    /// The colours as custom properties of CSS.
    var properties: String {
        Role.allCases.map { role in
            let digits = String(self[role], radix: 16)
            return "--\(role.rawValue):#\(String(repeating: "0", count: 6 - digits.count))\(digits)"
        }.joined(separator: ";")
    }
}
