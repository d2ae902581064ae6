// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkProfiles

@Suite struct FigureRangeTests {
    @Test(arguments: [
        ("loss=0..50%", "loss", ["downlink", "uplink"], ["0 %", "12.5 %", "50 %"]),
        ("loss = 50 % .. 0 %", "loss", ["downlink", "uplink"], ["0 %", "12.5 %", "50 %"]),
        ("uplink.delay=0..2s", "uplink.delay", ["uplink"], ["0 ms", "500 ms", "2 s"]),
        ("delay=0.5s..1.5 s", "delay", ["downlink", "uplink"], ["500 ms", "750 ms", "1.5 s"]),
        ("dns.delay=100ms..300ms", "dns.delay", ["dns"], ["100 ms", "150 ms", "300 ms"]),
        // The harsher end of a rate is the lower, and each part of the way divides it by the same.
        ("rate=10kbit/s..100 Mbit/s", "rate", ["downlink", "uplink"], ["100 Mbit/s", "10 Mbit/s", "10 kbit/s"]),
    ])
    func goesFromMildToHarsh(text: String, name: String, parts: [String], values: [String]) throws {
        let range = try FigureRange(parsing: text)
        #expect(range.description == name)
        #expect(range.parts == parts)
        #expect([0, 0.25, 1].map { range.value(at: $0) } == values)
    }

    @Test(arguments: [
        ("loss", "is not FIGURE=FROM..TO"), ("los=0..50%", "did you mean \"loss\""), ("loss=50%", "is not FROM..TO"),
        ("loss=0..50", "unit"), ("loss=0..150%", "100 %"), ("loss=5%..5%", "both values are the same"),
        ("rate=0..1 Mbit/s", "a rate of 0"), ("dns.loss=0..5%", "cannot be varied"), ("queue=1..2", "cannot be varied"),
        ("delay=0..2", "did you mean \"delay=0..2ms\""), ("loss=50..0", "did you mean \"loss=0..50%\""),
        ("latency=0..2s", "did you mean \"delay\""), ("a.b.c=0..1s", "cannot be varied"), ("=..", "is not"),
        ("loss=..", "loss"),
    ])
    func saysWhatIsWrong(text: String, words: String) {
        let error = #expect(throws: UnreadableRange.self) { try FigureRange(parsing: text) }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }
}
