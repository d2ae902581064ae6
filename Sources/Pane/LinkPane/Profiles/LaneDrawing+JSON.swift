// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

extension LaneDrawing {
    /// The drawing for the page. Times and delays are in milliseconds, to the microsecond;
    /// a part of the time in which no packet leaves has no loaded delay.
    var json: JSON {
        JSON(
            ("seconds", .number(seconds)),
            ("rate", .list(rate.map { JSON(.number("\(Int64($0.rounded()))")) })),
            ("loadedDelay", .list(loadedDelay.map { $0 > 0 ? Self.number($0) : JSON(.null) })),
            (
                "delayHistogram",
                JSON(
                    ("edges", .list(histogram.edges.map(Self.number))),
                    ("counts", .list(histogram.counts.map(\.json)))
                )
            ),
            ("dots", .list(dots.map(\.json)))
        )
    }

    fileprivate static func number(_ value: Double) -> JSON {
        let rounded = (value * 1000).rounded() / 1000
        return JSON(.number(rounded == rounded.rounded() ? "\(Int64(rounded))" : "\(rounded)"))
    }
}

extension LaneDrawing.Dot {
    fileprivate var json: JSON {
        let delay = delay.map(LaneDrawing.number) ?? JSON(.null)
        return .list([LaneDrawing.number(time), delay] + [reason?.json].compactMap { $0 })
    }
}
