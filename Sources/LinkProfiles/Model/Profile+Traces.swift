// SPDX-License-Identifier: Apache-2.0

extension Profile {
    /// The recordings of the profile and of its schedule.
    public var traceReferences: [TraceReference] {
        let steps = schedule?.steps ?? []
        let all = [downlink, uplink] + steps.flatMap { [$0.downlink, $0.uplink] }
        return all.compactMap { $0?.trace }
    }
}
