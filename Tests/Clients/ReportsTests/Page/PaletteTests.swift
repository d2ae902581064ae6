// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import Reports

/// Contrasts by WCAG 2.2: 4.5 for text (1.4.3), 3 for what graphics need to be understood (1.4.11).
struct PaletteTests {
    private static let texts: [Palette.Role] = [.text, .muted, .good, .bad, .doubt, .uplink]
    private static let shapes: [Palette.Role] = [.uplink, .downlink, .waiting, .bad, .doubt, .rule]

    @Test(arguments: [Palette.light, .dark])
    func hasTextThatCanBeRead(palette: Palette) {
        for ground in [Palette.Role.page, .panel] {
            for role in Self.texts {
                let contrast = Self.contrast(palette[role], palette[ground])
                #expect(contrast >= 4.5, "\(role) on \(ground)")
            }
        }
    }

    @Test(arguments: [Palette.light, .dark])
    func hasVerdictsThatCanBeReadOnTheirGround(palette: Palette) {
        for (role, ground) in [(Palette.Role.good, Palette.Role.goodPanel), (.bad, .badPanel), (.doubt, .doubtPanel)] {
            #expect(Self.contrast(palette[role], palette[ground]) >= 4.5, "\(role)")
            #expect(Self.contrast(palette[.text], palette[ground]) >= 4.5, "text on \(ground)")
        }
    }

    @Test(arguments: [Palette.light, .dark])
    func hasShapesThatCanBeSeen(palette: Palette) {
        for ground in [Palette.Role.page, .panel] {
            for role in Self.shapes {
                let contrast = Self.contrast(palette[role], palette[ground])
                #expect(contrast >= 3, "\(role) on \(ground)")
            }
        }
    }

    private static func contrast(_ first: UInt32, _ second: UInt32) -> Double {
        let values = [luminance(first), luminance(second)].sorted()
        return (values[1] + 0.05) / (values[0] + 0.05)
    }

    private static func luminance(_ color: UInt32) -> Double {
        let parts = [(color >> 16) & 0xFF, (color >> 8) & 0xFF, color & 0xFF].map { part -> Double in
            let share = Double(part) / 255
            return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }
}
