// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles
package import ProfileFormats

/// The profile fitted to a recording of a real link, and the quality of each figure's fit.
package struct FittedLink: Sendable {
    /// A row of the table of figures.
    package struct Figure: Hashable, Sendable {
        package let name: String
        package let value: String
        /// The 95 % confidence interval; empty if the figure has none.
        package let interval: String
        /// The quality of the fit; empty if unknown.
        package let fit: String
    }

    package internal(set) var profile: Profile
    package internal(set) var figures: [Figure] = []
    /// Assumptions, and facts that the profile cannot express; a sentence each, without a full stop.
    package internal(set) var remarks: [String] = []
    package internal(set) var delay: DelayFit?
    /// The loss of both directions together.
    package internal(set) var loss: LossFit?
    /// The probes of an outage, lost in a row, which `loss` excludes.
    package internal(set) var outage: Range<Int>?
    /// The rates of the downlink and the uplink, from the capture's transfers.
    package internal(set) var rates: (down: RateFit?, up: RateFit?)
    package internal(set) var segments: (down: LossFit?, up: LossFit?)
    /// The contradictions between the recording and a link of constant figures, a clause each.
    package internal(set) var contradictions: [String] = []

    private static let fewestTrips = 10

    /// Fits a profile.
    ///
    /// - Parameter name: the profile's name.
    package init(_ samples: LinkSamples, name: String) throws(ImportError) {
        profile = Profile(name: name)
        let base = samples.minimumTrip
        let spread = samples.spread
        rates = (
            samples.downlink.flatMap { RateFit($0, base: base, spread: spread, isDirect: true) },
            samples.uplink.flatMap { RateFit($0, base: base, spread: spread, isDirect: false) }
        )
        let isFew = samples.probes.count < Self.fewestTrips
        guard !isFew || rates.down?.rate != nil || rates.up?.rate != nil || samples.downlink != nil && base != nil
        else {
            let reason =
                "\(samples.probes.count) round trips are too few to fit a link to: \(Self.fewestTrips) are needed"
            throw .invalid(location: "", reason: reason)
        }
        remarks = samples.remarks
        fitDelay(samples)
        fitLoss(samples)
        fitRates(samples)
        addContradictions(trips: subtractingTransmission(samples), samples)
        profile.summary = summary(samples)
        if profile.downlink == Impairments() { profile.downlink = nil }
        if profile.uplink == Impairments() { profile.uplink = nil }
        do throws(InvalidProfile) {
            profile = try Profile(json: profile.json)
        } catch {
            throw .invalid(location: "", reason: "the profile would not be valid: \(error.issues[0].withoutPosition)")
        }
    }

    /// Applies `body` to the impairments of both directions.
    mutating func change(_ body: (inout Impairments) -> Void) {
        for direction in [\Profile.downlink, \.uplink] {
            var impairments = profile[keyPath: direction] ?? Impairments()
            body(&impairments)
            profile[keyPath: direction] = impairments
        }
    }

    mutating func add(_ name: String, _ value: String, _ interval: String = "", _ fit: String = "") {
        figures.append(Figure(name: name, value: value, interval: interval, fit: fit))
    }

    private func summary(_ samples: LinkSamples) -> String {
        let peer = samples.peer.map { " to \($0)" } ?? ""
        return "Fitted to \(samples.probes.count) round trips\(peer)" + (contradictions.isEmpty ? "" : "; a bad fit")
    }
}
