// SPDX-License-Identifier: Apache-2.0

import LinkProfiles

/// The conditions of a command line, one figure of which is varied.
struct VariedConditions {
    let base: ProfileOptions

    /// The conditions with the figure at `share` of its range.
    func options(_ range: FigureRange, at share: Double) -> ProfileOptions {
        var varied = base
        for part in range.parts {
            let path: WritableKeyPath<ProfileOptions, String?> =
                switch part {
                case "downlink": \.downlink
                case "uplink": \.uplink
                default: \.dns
                }
            let others = (base[keyPath: path] ?? "").split(separator: ",").filter { item in
                item.split(separator: "=", maxSplits: 1).first.map { String($0).filter { $0 != " " } }
                    != range.figure.rawValue
            }
            let figures = others.map(String.init) + ["\(range.figure.rawValue)=\(range.value(at: share))"]
            varied[keyPath: path] = figures.joined(separator: ",")
        }
        return varied
    }
}

extension ProfileOptions {
    /// The options, as arguments of `run`.
    var arguments: [String] {
        (profile.map { [$0] } ?? []) + (downlink.map { ["--downlink", $0] } ?? [])
            + (uplink.map { ["--uplink", $0] } ?? []) + (dns.map { ["--dns", $0] } ?? [])
            + catalogOptions.profilePath.flatMap { ["--profile-path", $0] }
    }
}
