// SPDX-License-Identifier: Apache-2.0

extension Profile {
    /// The recordings of the profile and of its schedule.
    public var traceReferences: [TraceReference] { locatedTraces.map(\.reference) }

    /// The recordings of the profile and of its schedule, with the paths of their `trace` objects.
    package var locatedTraces: [(path: JSONPath, reference: TraceReference)] {
        let steps = JSONPath.root.appending("schedule").appending("steps")
        var directions: [(JSONPath, Impairments?)] = [
            (JSONPath.root.appending("downlink"), downlink), (JSONPath.root.appending("uplink"), uplink),
        ]
        for (index, step) in (schedule?.steps ?? []).enumerated() {
            let path = steps.appending(index)
            directions += [(path.appending("downlink"), step.downlink), (path.appending("uplink"), step.uplink)]
        }
        return directions.compactMap { path, impairments in
            impairments?.trace.map { (path.appending("trace"), $0) }
        }
    }
}
