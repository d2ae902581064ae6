// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Writes NetworkChaos objects of Chaos Mesh: one for each direction, or a single one if both directions are equal.
enum ChaosMeshExport {
    static func text(_ profile: Profile, _ remarks: inout ExportRemarks) -> String {
        let (down, up) = (profile.downlink, profile.uplink)
        var documents: [String] = []
        if let up, up == down {
            documents = [document(profile.name, up, "both", suffix: "", &remarks)]
        } else {
            if let up { documents.append(document(profile.name, up, "to", suffix: "-uplink", &remarks)) }
            if let down { documents.append(document(profile.name, down, "from", suffix: "-downlink", &remarks)) }
        }
        remarks.add("the namespace and the labels of both ends, CLIENT and SERVER, are to be filled in")
        remarks.leaveOut(in: "Chaos Mesh") { lane, figure in
            let figures = profile.impairments(of: lane)
            if figure == "loss", case .random? = figures?.loss { return true }
            if figure == "corrupt", figures?.longestCorruption != nil { return false }
            return ["rate", "delay", "jitter", "duplicate", "corrupt", "reorder"].contains(figure)
        }
        return documents.joined(separator: "\n---\n")
    }

    private static func document(
        _ name: String,
        _ figures: Impairments,
        _ direction: String,
        suffix: String,
        _ remarks: inout ExportRemarks
    ) -> String {
        // The name must be a DNS label (RFC 1123).
        let words = name.lowercased().split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
        let label = String((words.isEmpty ? "profile" : words.joined(separator: "-")).prefix(50)) + suffix
        return """
            apiVersion: chaos-mesh.org/v1alpha1
            kind: NetworkChaos
            metadata:
              name: \(label.replacing("--", with: "-"))
            spec:
              action: netem
              mode: all
              selector:
                namespaces: [default]
                labelSelectors: { app: CLIENT }
              direction: \(direction)
              target:
                mode: all
                selector:
                  namespaces: [default]
                  labelSelectors: { app: SERVER }
            \(specifications(figures, &remarks).joined(separator: "\n"))
            """
    }

    private static func specifications(_ figures: Impairments, _ remarks: inout ExportRemarks) -> [String] {
        var lines: [String] = []
        if let delay = figures.delay {
            lines.append("  delay:")
            lines.append("    latency: \"\(time(delay))\"")
            lines.append("    jitter: \"\(time(figures.jitter?.amount ?? .zero))\"")
            lines.append("    correlation: \"0\"")
            if let jitter = figures.jitter, jitter.distribution != .uniform || jitter.ordered != (figures.rate != nil) {
                let order =
                    figures.rate == nil
                    ? "without a rate its packets overtake" : "with a rate its packets keep their order"
                remarks.add("the jitter of Chaos Mesh is uniform, and \(order)")
            }
            if let reorder = figures.reorder {
                lines.append("    reorder:")
                lines.append("      reorder: \"\(reorder.probability.percentText)\"")
                lines.append("      correlation: \"0\"")
                lines.append("      gap: \(reorder.gap)")
            }
        }
        if case .random(let share)? = figures.loss { lines += shareLines("loss", share) }
        if let share = figures.duplicate { lines += shareLines("duplicate", share) }
        if let share = figures.corrupt, figures.longestCorruption == nil { lines += shareLines("corrupt", share) }
        if let rate = figures.rate {
            let bytes = max((rate.bitsPerSecond + 4) / 8, 1)
            if bytes * 8 != rate.bitsPerSecond { remarks.rounded("the rate", "\(rate)", to: "\(bytes) bytes/s") }
            // In Chaos Mesh, "bps" means bytes per second.
            lines += ["  rate:", "    rate: \"\(bytes)bps\""]
        }
        return lines
    }

    private static func shareLines(_ name: String, _ share: Probability) -> [String] {
        ["  \(name):", "    \(name): \"\(share.percentText)\"", "    correlation: \"0\""]
    }

    /// The time in the format of Go.
    private static func time(_ time: Duration) -> String { "\(time.millisecondText)ms" }
}
