// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// A format of another tool from which profiles are read.
public enum ImportFormat: String, CaseIterable, Sendable {
    /// Apple's Network Link Conditioner: its property list, as XML.
    case nlc
    /// tcconfig: the output of tcshow.
    case tcconfig
    /// Augmented Traffic Control: a profile.
    case atc
    /// WebPageTest: connectivity.ini.
    case webpagetest
    /// comcast: its command line.
    case comcast
    /// sitespeed.io's throttle: its command line or JSON.
    case throttle
    /// The conditions of Chrome's DevTools, Puppeteer and Lighthouse.
    case devtools
    /// toxiproxy: toxics, or proxies with toxics.
    case toxiproxy
    /// tc(8): the output of `tc qdisc show`, with or without -j.
    case tc
    /// mahimahi: a trace.
    case mahimahi

    /// Recognizes the format of a text; nil if it is not certain.
    static func recognised(in text: String) throws(ImportError) -> ImportFormat? {
        let start = text.drop { $0.isWhitespace }
        // A section of an INI file starts with "[", as a JSON array does.
        if start.first == "{" || start.first == "[", let json = try? JSON(utf8: text.utf8) {
            return try recognised(in: Node(json: json))
        }
        if ["<?xml", "<!DOCTYPE plist", "<plist"].contains(where: start.hasPrefix) { return .nlc }
        if start.hasPrefix("bplist") {
            let reason = "a binary property list; \"plutil -convert xml1 FILE\" makes it one that is read"
            throw .invalid(location: "", reason: reason)
        }
        if start.hasPrefix("qdisc ") { return .tc }
        let words = start.split(whereSeparator: \.isWhitespace).prefix(20)
        let flags = Set(words.map { $0.drop { $0 == "-" }.prefix { $0 != "=" } })
        if words.first == "comcast" || !flags.isDisjoint(with: ["target-bw", "packet-loss"]) { return .comcast }
        if words.first == "throttle" || flags.contains("rtt") { return .throttle }
        if start.contains("bwIn") || start.contains("bwOut") { return .webpagetest }
        let numbers = words.prefix(10)
        return numbers.count > 1 && numbers.allSatisfy { UInt32($0) != nil } ? .mahimahi : nil
    }

    private static func recognised(in node: Node) throws(ImportError) -> ImportFormat? {
        let names = Set(node.members.map(\.name))
        let elements = node.elements ?? []
        if names.contains("name"), !names.isDisjoint(with: ["downlink", "uplink", "dns"]) { throw .isProfile }
        if names.contains("shaping") || node["down"]?["rate"] != nil || node["down"]?["delay"] != nil { return .atc }
        if DevToolsFormat.isDescribed(by: node) { return .devtools }
        if elements.contains(where: { $0["kind"] != nil }) { return .tc }
        if ([node] + elements + node.members.map(\.node)).contains(where: ToxiproxyFormat.isDescribed) {
            return .toxiproxy
        }
        if node.members.contains(where: { $0.node["outgoing"] != nil || $0.node["incoming"] != nil }) {
            return .tcconfig
        }
        return names.contains("rtt") || names.isSuperset(of: ["up", "down"]) ? .throttle : nil
    }
}
