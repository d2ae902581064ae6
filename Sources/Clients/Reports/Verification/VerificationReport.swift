// SPDX-License-Identifier: Apache-2.0

/// The measurements of a link, and the figures that its profile sets, for a page.
package struct VerificationReport: Sendable {
    /// One figure of the link: its set, modelled and measured values, as text.
    package struct Row: Sendable {
        package let figure: String
        package let asked: String
        package let modelled: String
        package let measured: String
        /// The range of values of a correct link.
        package let range: String
        /// "pass", "fail" or "inconclusive".
        package let verdict: String

        package init(
            _ figure: String,
            asked: String,
            modelled: String,
            measured: String,
            range: String,
            verdict: String
        ) {
            (self.figure, self.asked, self.modelled) = (figure, asked, modelled)
            (self.measured, self.range, self.verdict) = (measured, range, verdict)
        }
    }

    /// Measured values, and the values of the model.
    package struct Pair: Sendable {
        package let measured: [Double]
        package let modelled: [Double]

        package init(measured: [Double], modelled: [Double]) { (self.measured, self.modelled) = (measured, modelled) }
    }

    /// The results for one kind of packets in one direction.
    package struct Part: Sendable {
        package let name: String
        /// The direction: "uplink" or "downlink".
        package let direction: String
        package let rows: [Row]
        /// The delays of the delivered packets, in milliseconds; nil if they are not drawn.
        package let delays: Pair?
        /// The rate in each second, in bits per second; nil if they are not drawn.
        package let rates: Pair?

        package init(_ name: String, direction: String, _ rows: [Row], delays: Pair? = nil, rates: Pair? = nil) {
            (self.name, self.direction, self.rows) = (name, direction, rows)
            (self.delays, self.rates) = (delays, rates)
        }
    }

    package var profile: String
    /// "pass", "fail" or "inconclusive".
    package var verdict: String
    /// The verdict in a sentence, and sentences about the machine.
    package var sentences: [String]
    package var parts: [Part]
    /// The command line that repeats the measurement.
    package var repetition: [String]
    package var version: String

    package init(
        profile: String,
        verdict: String,
        sentences: [String],
        parts: [Part],
        repetition: [String],
        version: String
    ) {
        (self.profile, self.verdict, self.sentences) = (profile, verdict, sentences)
        (self.parts, self.repetition, self.version) = (parts, repetition, version)
    }
}
