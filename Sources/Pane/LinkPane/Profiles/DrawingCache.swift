// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The latest drawings by their profiles, so that a drawing is made once. For use by one thread.
struct DrawingCache {
    private var drawings: [(profile: Profile, recordings: Recordings, drawing: JSON)] = []

    /// As many as a person compares; a drawing has 100 kB.
    static let limit = 32

    /// Returns the drawing of both directions.
    mutating func drawing(_ profile: Profile, _ recordings: Recordings) -> JSON {
        var profile = profile
        // The texts do not change the drawing.
        (profile.name, profile.summary, profile.source) = ("", nil, nil)
        if let index = drawings.firstIndex(where: { $0.profile == profile && $0.recordings == recordings }) {
            drawings.append(drawings.remove(at: index))
        } else {
            let drawing = JSON(
                ("downlink", LaneDrawing(profile, .downlink, recordings).json),
                ("uplink", LaneDrawing(profile, .uplink, recordings).json)
            )
            drawings.append((profile, recordings, drawing))
            if drawings.count > Self.limit { drawings.removeFirst() }
        }
        return drawings[drawings.count - 1].drawing
    }
}
