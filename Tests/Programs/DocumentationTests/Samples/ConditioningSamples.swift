// SPDX-License-Identifier: Apache-2.0

// The code that the documentation shows of LinkConditioning. What stands between "begin" and "end" is shown, word for
// word: DocumentationTests compares it.

// begin condition-interface
import LinkConditioning

/// Applies Slow Net to an interface, prints what holds there, and removes it.
func conditionBriefly(_ interface: String) throws {
    var direction = Impairments()
    direction.rate = BitRate(bitsPerSecond: 32_000)
    direction.delay = .milliseconds(100)
    var slowNet = Profile(name: "Slow Net")
    slowNet.downlink = direction
    slowNet.uplink = direction
    slowNet.dns = DNSImpairment(delay: .milliseconds(200))

    let conditioner = try InterfaceConditioner(command: "my-test") { print("note: \($0)") }
    try conditioner.apply(RuleRequest(profile: slowNet), on: interface)
    defer { _ = try? conditioner.remove(from: interface) }

    let report = try conditioner.status(interface)
    for rule in report.devices.flatMap(\.rules) {
        print("\(rule.profile ?? "?"), carried by \(rule.engine)")
        for lane in rule.lanes {
            print("  \(lane.kind): \(lane.matchedPackets) matched, \(lane.counters?.sentPackets ?? 0) sent")
        }
    }
}
// end condition-interface

// begin change-conditions
/// Replaces the conditions of the only rule on an interface. The rule's traffic stays the same, and no packet is lost.
func makeUnreachable(_ interface: String, with conditioner: InterfaceConditioner) throws {
    var blackHole = Profile(name: "Black Hole")
    var downlink = Impairments()
    downlink.loss = .random(.one)
    blackHole.downlink = downlink

    let (_, before) = try conditioner.change(on: interface, for: nil) { selection in
        RuleRequest(profile: blackHole, selection: selection)
    }
    print("replaced \(before)")
}
// end change-conditions

// begin select-traffic
/// Conditions TCP connections to one network, and no other traffic, for ten minutes at most.
func conditionBackend(_ profile: Profile, on interface: String, with conditioner: InterfaceConditioner) throws {
    var backend = Selection.Criteria()
    guard backend.add("to", "192.0.2.0/24"), backend.add("protocol", "tcp") else { return }
    var request = RuleRequest(profile: profile, selection: Selection(backend))
    request.limit = .seconds(600)
    do {
        try conditioner.apply(request, on: interface)
    } catch {
        guard error.code == .busy else { throw error }
        print("\(error.message); try again later")
    }
}
// end select-traffic
