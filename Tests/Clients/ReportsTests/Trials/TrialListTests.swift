// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import Reports

@Suite struct TrialListTests {
    private let networks = [
        TrialList.Network(name: "3G", directory: "3g", digest: "a"),
        TrialList.Network(name: "LTE", directory: "lte", digest: "b"),
    ]

    private func entries(_ list: TrialList) -> [TrialList.Entry] { (0..<list.count).map { list[$0] } }

    @Test func givesEachNetworkTheSameSeeds() {
        let all = entries(TrialList(networks, repetitions: 3, seed: 42))
        #expect(all.map(\.index) == Array(0..<6))
        #expect(all.map(\.network) == [0, 0, 0, 1, 1, 1])
        #expect(all.map(\.number) == [1, 2, 3, 1, 2, 3])
        #expect(all.map(\.seed) == [42, 43, 44, 42, 43, 44])
        #expect(all[4].name == "LTE, run 2, seed 43" && all[4].directory == "lte/run-2")
    }

    @Test func namesASingleRunOfANetworkAsTheNetwork() {
        let all = entries(TrialList(networks, seed: 42))
        #expect(all.map(\.name) == ["3G", "LTE"] && all.map(\.directory) == ["3g", "lte"])
        #expect(all.map(\.seed) == [42, 42])
    }

    @Test func namesTheRunsOfTheOnlyNetworkByTheirNumbers() {
        let network = TrialList.Network(name: "3G", directory: "", digest: "a")
        let all = entries(TrialList([network], repetitions: 2, seed: .max))
        #expect(all.map(\.name) == ["run 1, seed \(UInt64.max)", "run 2, seed 0"])
        #expect(all.map(\.directory) == ["run-1", "run-2"])
        let single = entries(TrialList([network], seed: nil))
        #expect(single.map(\.name) == ["run 1"] && single.map(\.directory) == ["run-1"])
    }

    @Test(arguments: [42, .max, nil] as [UInt64?])
    func isReadBackFromJSON(seed: UInt64?) throws {
        let list = TrialList(networks, repetitions: 5, seed: seed)
        #expect(TrialList(json: try JSON(utf8: Array(list.json.text.utf8))) == list)
    }

    /// A list in a report is others' input.
    @Test(arguments: [
        ([], 1), (["3g"], 0), (["3g"], -1), (["3g"], .max), (["3g", "lte"], 50_001), (["3g", "3g"], 1),
        (["..", "a"], 1), (["a/b"], 1), (["/etc"], 1), (["", "a"], 1),
    ])
    func readsNoListThatNoCommandMakes(directories: [String], repetitions: Int) {
        let networks = directories.map { TrialList.Network(name: "3G", directory: $0, digest: "a") }
        let json = JSON(("networks", networks.json), ("repetitions", repetitions.json))
        #expect(TrialList(json: json) == nil)
    }
}
