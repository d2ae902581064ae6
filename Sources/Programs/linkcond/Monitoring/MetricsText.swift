// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import LinkProfiles
import Netlink
import Reachability

/// Formats statistics in the Prometheus text format, with the names of the blackbox exporter where they apply.
enum MetricsText {
    private struct Family: Sendable {
        let name: String
        let kind: String
        let help: String
        let samples: @Sendable (TargetStatistics) -> [(labels: [(String, String)], value: Double)]
    }

    private static let families: [Family] = [
        Family(name: "probe_success", kind: "gauge", help: "Whether the target can be reached.") { row in
            [([], row.status.isReachable ? 1 : 0)]
        },
        Family(name: "probe_duration_seconds", kind: "gauge", help: "How long the last answer took.") { row in
            row.recent.last.flatMap { $0 }.map { [([], $0 / .seconds(1))] } ?? []
        },
        Family(name: "probe_ip_protocol", kind: "gauge", help: "The version of IP of the first address.") { row in
            row.status.addresses.first.map { [([], $0.address.description.contains(":") ? 6 : 4)] } ?? []
        },
        Family(name: "probe_icmp_reply_hop_limit", kind: "gauge", help: "Hops that the last answer had left.") { row in
            row.status.observation?.hopLimit.map { [([], Double($0))] } ?? []
        },
        Family(name: "probe_http_status_code", kind: "gauge", help: "The status of the last HTTP answer.") { row in
            row.status.observation?.status.map { [([], Double($0))] } ?? []
        },
        Family(
            name: "probe_ssl_earliest_cert_expiry",
            kind: "gauge",
            help: "When the first certificate ends, in seconds since 1970."
        ) { row in
            row.status.observation?.certificateEnd.map { [([], Double($0))] } ?? []
        },
        Family(name: "linkcond_state", kind: "gauge", help: "1 for the state that the target is in.") { row in
            let reason = row.status.reason.map { [("reason", $0.description)] } ?? []
            return [([("state", row.status.state.rawValue)] + reason, 1)]
        },
        Family(name: "linkcond_probes_total", kind: "counter", help: "Probes that taught something.") { row in
            [([], Double(row.sent))]
        },
        Family(name: "linkcond_probes_lost_total", kind: "counter", help: "Those that were not answered.") { row in
            [([], Double(row.sent - row.answered))]
        },
        Family(name: "linkcond_outages_total", kind: "counter", help: "Times that the target stopped answering.") {
            row in
            [([], Double(row.outages))]
        },
        Family(name: "linkcond_rtt_seconds", kind: "summary", help: "Round-trip times since the start.") { row in
            [0.5, 0.95, 0.99].compactMap { share in
                row.percentile(share).map { ([("quantile", "\(share)")], $0 / .seconds(1)) }
            }
        },
        Family(name: "linkcond_conditions_info", kind: "gauge", help: "1 for the profile on the path.") { row in
            row.status.conditions.map { [([("profile", $0.profile)], 1)] } ?? []
        },
    ]

    static func text(_ rows: [TargetStatistics], _ devices: [StatusReport.Device]) -> String {
        let targets = families.map { family in
            let samples = rows.flatMap { row in
                family.samples(row).map { Sample([("target", row.status.target.description)] + $0.labels, $0.value) }
            }
            return text(of: family.name, kind: family.kind, help: family.help, samples)
        }
        return targets.joined() + laneText(devices)
    }

    /// A value with its labels.
    struct Sample {
        let labels: [(String, String)]
        let value: Double

        init(_ labels: [(String, String)], _ value: Double) { (self.labels, self.value) = (labels, value) }
    }

    /// Formats a family of samples.
    static func text(of name: String, kind: String, help: String, _ samples: [Sample]) -> String {
        let lines = samples.map { sample in
            let list = sample.labels.map { "\($0)=\(quoted($1))" }.joined(separator: ",")
            return "\(name){\(list)} \(sample.value)\n"
        }
        return "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n\(lines.joined())"
    }

    /// The format has only three escape sequences, so control characters for terminals are escaped first.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for character in text.escapingControls(keepingLines: true) {
            switch character {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.append(character)
            }
        }
        return result + "\""
    }
}
