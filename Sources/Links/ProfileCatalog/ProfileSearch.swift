// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Finds profiles by words, in capital or small letters: all words must be in a profile's name, figures, summary,
/// source or faults, or be synonyms of something in its name or summary.
package struct ProfileSearch: Sendable {
    private let words: [String]

    package init(_ words: [String]) { self.words = words.map { $0.lowercased() } }

    package func matches(_ loaded: LoadedProfile) -> Bool {
        guard !words.isEmpty else { return true }
        let (profile, overview) = (loaded.profile, ProfileOverview(loaded.profile))
        let texts = [overview.downlink, overview.uplink, overview.dns, profile.source] + profile.brokenWords
        return matches(name: profile.name, summary: profile.summary, texts.compactMap { $0 })
    }

    /// - Parameter others: texts in which synonyms do not count.
    package func matches(name: String, summary: String?, _ others: [String]) -> Bool {
        let title = "\(name)\n\(summary ?? "")".lowercased()
        let (text, key) = (title + "\n" + others.joined(separator: "\n").lowercased(), Profile.normalized(name))
        return words.allSatisfy { word in
            let normalized = Profile.normalized(word)
            // A word inside of another one is an accident: "lte" in "filter", "reset" in "presets".
            return text.hasWord(startingWith: word)
                || (normalized.count > 2 && key.hasPrefix(normalized))
                || Self.synonyms[normalized]?.contains { title.hasWord(startingWith: $0) } == true
        }
    }

    /// Words that people use for a network, and the words that names and summaries have for it.
    static let synonyms: [String: [String]] = {
        let sets: [([String], [String])] = [
            (["wifi", "wlan", "wireless", "80211"], ["wi-fi", "wireless lan"]),
            (
                ["offline", "dead", "down", "disconnected", "nonetwork", "nointernet", "airplanemode", "unplugged"],
                ["black hole", "100% loss", "atc no connectivity"]
            ),
            (["perfect", "fast", "good", "mild"], ["wi-fi", "webpagetest fios"]),
            (["slow", "bad", "terrible", "poor", "awful"], ["slow net", "very bad network", "edge"]),
            (["lossy", "packetloss", "drops"], ["very bad network", "nasty net", "bursts of loss"]),
            (["latency", "lag", "ping"], ["very bad network", "geostationary", "high latency dns"]),
            (["4g"], ["lte"]),
            (["2g"], ["edge", "gprs", "gsm"]),
            (["3g"], ["hsdpa", "umts", "hspa"]),
            (["mobile", "cellular", "phone", "cell"], ["3g", "2g", "4g", "5g", "lte", "edge", "cellular"]),
            (
                ["subway", "metro", "underground", "tube", "tunnel", "elevator", "commute"],
                ["lift", "hsdpa train", "hsdpa tram", "flapping link"]
            ),
            (["train", "railway"], ["hsdpa train"]),
            (["car", "driving", "road", "roaming"], ["5g from a moving car", "on the road", "wi-fi to cellular"]),
            (["home", "house"], ["wi-fi", "cable modem", "dsl", "home router"]),
            (["broadband", "fixed"], ["cable", "dsl"]),
            (["office", "work", "company", "corporate", "enterprise"], ["wi-fi 802.11ac", "udp blocked", "firewall"]),
            (["plane", "airplane", "aircraft", "flight"], ["in-flight"]),
            (
                ["hotel", "cafe", "airport", "hotspot", "publicwifi", "conference", "guest"],
                ["captive portal", "udp blocked", "wi-fi lossy", "congested"]
            ),
            (["crowd", "crowded", "stadium", "festival", "busy"], ["congested", "wi-fi lossy"]),
            (["satellite", "space"], ["starlink", "geostationary", "viasat"]),
            (["rural", "countryside", "village"], ["2g rural", "atc 2g developing rural", "satellite"]),
            (["fiber", "fibre", "ftth"], ["fibre broadband"]),
            (["modem", "dialup", "56k"], ["dial", "telephone modem"]),
            (["firewall", "proxy", "middlebox"], ["udp blocked", "reset by middlebox"]),
            (["vpn", "tunnels"], ["mtu hole", "udp blocked"]),
            (["router", "timeout"], ["idle nat", "half-open server"]),
            (["crash", "crashed", "hang", "hanging"], ["half-open server", "handshake stalled"]),
            (["tls", "https", "ssl"], ["handshake stalled", "captive portal"]),
            (["quic", "http3", "webrtc", "voip", "video", "call"], ["udp blocked", "rmcat"]),
            (["resolver", "names"], ["dns", "high latency dns"]),
            (["bufferbloat", "buffer", "queue"], ["bufferbloat"]),
            (["outage", "flaky", "intermittent", "unstable"], ["lift", "flapping link", "starlink"]),
        ]
        return sets.reduce(into: [:]) { synonyms, set in
            for word in set.0 { synonyms[word, default: []] += set.1 }
        }
    }()
}

extension String {
    /// Whether `prefix` is in the text where a word starts, or a number: "5g" is not in "3.5g".
    fileprivate func hasWord(startingWith prefix: String) -> Bool {
        guard !prefix.isEmpty else { return true }
        return ranges(of: prefix).contains { range in
            guard range.lowerBound > startIndex else { return true }
            let before = self[index(before: range.lowerBound)]
            return !before.isLetter && !before.isNumber && (before != "." || prefix.first?.isNumber == false)
        }
    }
}
