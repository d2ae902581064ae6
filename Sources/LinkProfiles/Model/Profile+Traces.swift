// SPDX-License-Identifier: Apache-2.0

extension Profile {
    /// Every recording that the profile names, in its figures and in its schedule's.
    public var traceReferences: [TraceReference] {
        let steps = schedule?.steps ?? []
        let all = [downlink, uplink] + steps.flatMap { [$0.downlink, $0.uplink] }
        return all.compactMap { $0?.trace }
    }
}
