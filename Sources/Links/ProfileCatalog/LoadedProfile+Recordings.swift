// SPDX-License-Identifier: Apache-2.0

import Glibc
public import LinkProfiles

extension LoadedProfile {
    /// Reads the recordings of the profile, whose paths are relative to the profile's file; returns them by reference.
    public func recordings() throws(CatalogError) -> [TraceReference: Trace] {
        Dictionary(try traces().map { ($0.reference, $0.trace) }, uniquingKeysWith: { first, _ in first })
    }

    /// The profile with absolute paths of its recordings, which do not depend on the working directory.
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
