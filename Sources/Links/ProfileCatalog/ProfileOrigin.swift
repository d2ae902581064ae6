// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The origin of a profile's figures, for lists: a directory, a tool's presets, or one of the project's own sets.
enum ProfileOrigin: Hashable, Comparable {
    case directory(String)
    case linkConditioner
    case measured
    case broken
    /// The position of the tool in `tools`.
    case tool(Int)

    init(_ loaded: LoadedProfile) {
        let profile = loaded.profile
        if !loaded.isBuiltIn {
            let path = "\(loaded.origin)"
            self = .directory(path.lastIndex(of: "/").map { String(path[..<$0]) } ?? path)
        } else if let tool = Self.tools.firstIndex(where: { profile.name.hasPrefix("\($0.key) ") }) {
            self = .tool(tool)
        } else if !profile.brokenWords.isEmpty {
            self = .broken
        } else {
            self = Self.conditioners.contains { profile.source?.contains($0) == true } ? .linkConditioner : .measured
        }
    }

    /// The words in the source of a profile that has the figures of Apple's tool, as others repeat them.
    private static let conditioners = ["Apple", "Network Link Conditioner", "ipfw script"]

    /// Whether a built-in profile or scenario with this name belongs to a tool or a standard.
    static func isPreset(_ name: String) -> Bool { tools.contains { name.hasPrefix("\($0.key) ") } }

    /// The tools and standards by the words with which the names of their presets begin.
    private static let tools: KeyValuePairs = [
        "Android": "Android emulator",
        "ATC": "Augmented Traffic Control",
        "BrowserStack": "BrowserStack",
        "Chrome": "Chrome DevTools",
        "Comcast": "comcast",
        "Firebase": "Firebase Test Lab",
        "Firefox": "Firefox DevTools",
        "G1050": "ITU-T G.1050, Internet paths of eight severities",
        "Lighthouse": "Lighthouse",
        "Loadero": "Loadero",
        "QUIC Interop": "quic-interop-runner",
        "RFC 7928": "RFC 7928, tests of active queue management",
        "RMCAT": "RMCAT, tests of interactive media (RFC 8867)",
        "Sitespeed": "sitespeed.io",
        "WebPageTest": "WebPageTest",
    ]

    var title: String {
        switch self {
        case .directory(let path): path
        case .linkConditioner: "Apple's Network Link Conditioner"
        case .measured: "Measured or modelled networks"
        case .broken: "Broken networks"
        case .tool(let index): Self.tools[index].value
        }
    }
}
