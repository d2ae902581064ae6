// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

extension DisturbanceTimeline {
    /// The disturbances with their times, one line each: "at 2 s, for 3 s: link down".
    package var words: [String] {
        let lines = disturbances.map(\.words)
        guard let last = moments.later.last, last.isRestored, last.begins.isEmpty else { return lines }
        return lines + ["at \(last.time.text): as at the start ('\(Self.restored)')"]
    }
}

extension Disturbance {
    /// The start, the length and the effect, in words.
    package var words: String {
        let begin = start == .zero ? "from the start" : "at \(start.text)"
        guard !isMomentary, let length else {
            let rest = isMomentary || start == .zero ? "" : " until the end"
            return "\(isMomentary && start == .zero ? "at 0 s" : begin)\(rest): \(effect.words)"
        }
        return "\(begin), for \(length.text): \(effect.words)"
    }
}

extension Disturbance.Effect {
    /// The effect, in words.
    package var words: String {
        switch self {
        case .figures(let direction, let figures):
            figures.words.joined(separator: ", ") + (direction.map { " in the \($0.rawValue)" } ?? ", both ways")
        case .dns(let delay): "\(delay.text) more for packets to port 53"
        case .fault(let fault): fault.words
        case .mtu(let size): "MTU \(size)"
        case .ipv6(let support): support.words ?? "IPv6 works"
        case .nat(let translation): translation.words
        case .linkDown: "link down"
        case .newAddress: "new address"
        case .natRebind: "new NAT mappings"
        }
    }
}
