// SPDX-License-Identifier: Apache-2.0

extension Profile {
    /// The references to recordings in the profile and its schedule.
    public var traceReferences: [TraceReference] { locatedTraces.map(\.reference) }

    /// The references to recordings in the profile and its schedule, with the JSON paths of their `trace` objects.
    package var locatedTraces: [(path: JSONPath, reference: TraceReference)] {
        let stepsPath = JSONPath.root.appending("schedule").appending("steps")
        let steps = (schedule?.steps ?? []).enumerated().map { (stepsPath.appending($0), $1.downlink, $1.uplink) }
        return ([(.root, downlink, uplink)] + steps).flatMap { path, downlink, uplink in
            [("downlink", downlink), ("uplink", uplink)].compactMap { name, impairments in
                impairments?.trace.map { (path.appending(name).appending("trace"), $0) }
            }
        }
    }
}
