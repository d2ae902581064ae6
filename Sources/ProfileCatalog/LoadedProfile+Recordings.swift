// SPDX-License-Identifier: Apache-2.0

import Glibc
public import LinkProfiles

extension LoadedProfile {
    /// The recordings that the profile names, read from beside its file, by the names it gives them.
    public func recordings() throws(CatalogError) -> [TraceReference: Trace] {
        Dictionary(try traces().map { ($0.reference, $0.trace) }, uniquingKeysWith: { first, _ in first })
    }

    /// The same with the paths of its recordings from the root, so that they are found from anywhere.
    public var withAbsolutePaths: LoadedProfile {
        var copy = self
        func complete(_ impairments: inout Impairments?) {
            guard let file = impairments?.trace?.file else { return }
            impairments?.trace?.file = absolute(resolve(file))
        }
        complete(&copy.profile.uplink)
        complete(&copy.profile.downlink)
        if var schedule = copy.profile.schedule {
            for index in schedule.steps.indices {
                complete(&schedule.steps[index].uplink)
                complete(&schedule.steps[index].downlink)
            }
            copy.profile.schedule = schedule
        }
        return copy
    }

    private func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let directory = getcwd(nil, 0) else { return path }
        defer { free(directory) }
        return "\(String(cString: directory))/\(path)"
    }
}
