// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkProfiles
import ProfileCatalog
import SandboxClient
import TestKit
import Testing

@testable import LinkPane

@Suite struct ProfilesResourceTests {
    private func resource(_ directories: [String] = []) -> ProfilesResource {
        ProfilesResource(Catalog(directories: directories)) { arguments in
            ControlAPI.Answer(body: .list(arguments.map(\.json)))
        }
    }

    private func profiles(_ answer: ControlAPI.Answer?) -> [JSON] {
        guard case .array(let profiles) = answer?.body?["profiles"]?.value else { return [] }
        return profiles
    }

    private func preview(_ query: [String: String]) throws -> ControlAPI.Answer {
        try #require(resource().answer(PaneRequest("GET", "/v1/preview", query: query)))
    }

    // MARK: The list

    @Test func listsTheBuiltInProfilesFromMildToHarsh() throws {
        let profiles = profiles(resource().answer(PaneRequest("GET", "/v1/profiles")))
        let harshness = profiles.compactMap { $0["harshness"].flatMap { Double($0.line) } }
        #expect(profiles.count > 100 && harshness.count == profiles.count && harshness == harshness.sorted())
        let slow = try #require(profiles.first { $0["name"]?.line == "\"Slow Net\"" })
        #expect(
            slow["columns"]?.line == """
                { "downlink": [["rate", "32 kbit/s"], ["delay", "100 ms"]], \
                "uplink": [["rate", "32 kbit/s"], ["delay", "100 ms"]], "dns": [["delay", "+ 200 ms"]] }
                """
        )
        #expect(
            slow["feels"].flatMap { String(json: $0) }?.hasPrefix("a ping of 98 bytes takes 249 ms; a 1 MB ") == true
        )
    }

    @Test func namesWhatHidesAndWhatIsHidden() throws {
        let files = try TemporaryDirectory()
        let mine = try files.write("slow.json", #"{"name": "slow-net", "downlink": {"delay": "1 s"}}"#).path
        let list = profiles(resource([files.path]).answer(PaneRequest("GET", "/v1/profiles")))
        let own = try #require(list.first { $0["name"]?.line == "\"slow-net\"" })
        #expect(own["hidesBuiltIn"]?.line == "true" && own["file"]?.line == JSON.quoted(mine))
        let hidden = try #require(list.first { $0["name"]?.line == "\"Slow Net\"" })
        #expect(hidden["hiddenBy"]?.line == JSON.quoted(mine))
    }

    @Test func listsABrokenFileWithItsMessageBesideTheOthers() throws {
        let files = try TemporaryDirectory()
        try files.write("bad.json", #"{"name": "Bad", "downlink": {"delay": "1"}}"#)
        try files.write("good.json", #"{"name": "Good", "downlink": {"delay": "1 s"}}"#)
        let list = profiles(resource([files.path]).answer(PaneRequest("GET", "/v1/profiles")))
        #expect(list.contains { $0["name"]?.line == "\"Good\"" && $0["problem"] == nil })
        let bad = try #require(list.last)
        #expect(bad["name"]?.line == "\"bad\"")
        let problem = bad["problem"].flatMap { String(json: $0) } ?? ""
        #expect(problem.contains("bad.json:1:39: $.downlink.delay: \"1\" has no unit"), "\(problem)")
    }

    @Test func readsTheDirectoriesAgainAfterASecondIfTheyChanged() throws {
        let files = try TemporaryDirectory()
        let reading = CatalogReading(Catalog(directories: [files.path]))
        let start = ContinuousClock.now
        func names(_ after: Duration) -> Set<String> {
            Set(profiles(ControlAPI.Answer(body: reading.list(at: start + after))).compactMap { $0["name"]?.line })
        }
        #expect(!names(.zero).contains("\"New\""))
        try files.write("new.json", #"{"name": "New", "downlink": {"delay": "1 s"}}"#)
        #expect(!names(.milliseconds(900)).contains("\"New\""))
        #expect(names(.milliseconds(1100)).contains("\"New\""))
        // A file that is edited in place leaves its directory as it is.
        try files.write("new.json", #"{"name": "Newer", "downlink": {"delay": "1 s"}}"#)
        #expect(names(.milliseconds(2200)).isSuperset(of: ["\"Newer\""]))
    }

    // MARK: Previews

    @Test func previewsEditedFigures() throws {
        let answer = try preview(["profile": "3g", "downlink": "loss=5%", "dns": "delay=1 s"])
        let body = try #require(answer.body)
        #expect(answer.status == 200 && body["changed"]?.line == "true")
        let lanes = #"{ "rate": "780 kbit/s", "delay": "100 ms", "loss": "5 %" }"#
        #expect(body["figures"]?["downlink"]?.line == lanes)
        #expect(body["figures"]?["dns"]?["delay"]?.line == "\"1 s\"")
        #expect(body["drawing"]?["downlink"]?["dots"] != nil && body["drawing"]?["uplink"] != nil)
        #expect(try preview(["profile": "3g", "downlink": "rate=780 kbit/s"]).body?["changed"]?.line == "false")
    }

    @Test func previewsFiguresWithoutAProfile() throws {
        #expect(try preview(["downlink": "delay=1 s"]).body?["figures"]?["downlink"]?["delay"]?.line == "\"1 s\"")
    }

    @Test func writesFiguresThatNoFieldCanHold() throws {
        let figures = try #require(try preview(["profile": "Cellular Bursty"]).body?["figures"]?["downlink"])
        #expect(figures["loss"] == nil && figures["words"]?["loss"] != nil)
        let more = try preview(["downlink": "duplicate=1%,delay=1 s"]).body?["figures"]?["downlink"]?["more"]
        #expect(more?.line == "\"duplicate=1 %\"")
    }

    /// The command line's message, and the field that it is about.
    @Test(arguments: [
        ("downlink", "rate=1", "downlink.rate", "$.downlink.rate: \"1\" has no unit; expected a rate with its unit"),
        ("uplink", "loss=101%", "uplink.loss", "$.uplink.loss: "),
        ("dns", "delay=1", "dns.delay", "$.dns.delay: "),
        ("downlink", "jitter=1 ms", "downlink.jitter", "$.downlink.jitter: "),
        ("uplink", "x", "uplink", "$: \"x\" is not KEY=VALUE"),
        ("downlink", "speed=1 Mbit/s", "downlink.speed", "$.downlink.speed: "),
    ])
    func refusesAFigureWithTheCommandLinesMessage(lane: String, figures: String, field: String, start: String) throws {
        let answer = try preview([lane: figures])
        #expect(answer.status == 422 && answer.body?["kind"]?.line == "\"badProfile\"")
        #expect(answer.body?["field"]?.line == JSON.quoted(field))
        let message = answer.body?["error"].flatMap { String(json: $0) } ?? ""
        #expect(message.hasPrefix(start), "\(message)")
        let error = #expect(throws: InvalidProfile.self) { try Profile(name: "figures").overriding([(lane, figures)]) }
        #expect(message == error?.issues.map(\.withoutPosition).joined(separator: "\n"))
    }

    @Test func refusesAnUnknownProfileAndAPath() throws {
        let unknown = try preview(["profile": "slow nett"])
        #expect(unknown.status == 404 && unknown.body?["field"]?.line == "\"profile\"")
        #expect(unknown.body?["error"].flatMap { String(json: $0) }?.contains("did you mean \"Slow Net\"") == true)
        for path in ["-", "/etc/passwd", "x.json"] { #expect(try preview(["profile": path]).status == 400) }
    }

    // MARK: New profiles

    private func added(_ body: JSON) -> ControlAPI.Answer? {
        resource().answer(PaneRequest("POST", "/v1/profiles", body: body))
    }

    @Test func runsNew() {
        let body = JSON(("name", "My train"), ("from", "3g"), ("downlink", "loss=5%"), ("uplink", ""))
        #expect(added(body)?.body?.line == #"["new", "My train", "--from=3g", "--downlink=loss=5%"]"#)
    }

    @Test func letsNoValueBeAnOption() {
        let body = JSON(("name", "--help"), ("from", "--json"))
        #expect(added(body)?.body?.line == #"["new", "--from=--json", "--", "--help"]"#)
        #expect(added(JSON(("name", "x"), ("from", "/dev/stdin")))?.body?["field"]?.line == "\"from\"")
        #expect(added(JSON(("from", "3g")))?.body?["field"]?.line == "\"name\"")
        #expect(added(JSON(("name", 5)))?.status == 400)
    }

    @Test func namesTheMethods() {
        #expect(resource().answer(PaneRequest("DELETE", "/v1/profiles"))?.allowed == "GET, POST")
        #expect(resource().answer(PaneRequest("GET", "/v1/other")) == nil)
    }
}
