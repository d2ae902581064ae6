// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import Reports

@Suite struct ShardAssignmentTests {
    private typealias Run = ShardAssignment.Run

    private func list(_ networks: Int, _ repetitions: Int) -> TrialList {
        let all = (0..<networks).map { TrialList.Network(name: "N\($0)", directory: "n\($0)", digest: "") }
        return TrialList(all, repetitions: repetitions, seed: 7)
    }

    private func run(_ index: Int, of list: TrialList) -> Run {
        Run(network: list.networks[list[index].network].name, number: list[index].number)
    }

    /// The durations of the first trials; a whole number of milliseconds each.
    private func durations(_ milliseconds: [Int], of list: TrialList) -> [Run: Duration] {
        let pairs = milliseconds.enumerated().map { (run($0, of: list), Duration.milliseconds($1)) }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    private func parts(_ assignment: ShardAssignment, _ list: TrialList, _ count: Int) -> [[Int]] {
        (1...count).compactMap { Shard("\($0)/\(count)") }.map { assignment.indices(of: $0, in: list) }
    }

    @Test func givesEachShardEveryNthTrialWithoutTimings() {
        #expect(parts(ShardAssignment(), list(3, 3), 4) == [[0, 4, 8], [1, 5], [2, 6], [3, 7]])
        #expect(parts(ShardAssignment(), list(2, 1), 4) == [[0], [1], [], []])
    }

    @Test func givesEachTrialToOneShardWhateverTheirNumber() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<60 {
            let list = list(Int.random(in: 1...6, using: &random), Int.random(in: 1...5, using: &random))
            let known = (0..<list.count).map { _ in Int.random(in: 0...900, using: &random) }
                .prefix(Int.random(in: 0...list.count, using: &random))
            for assignment in [ShardAssignment(), ShardAssignment(durations: durations(Array(known), of: list))] {
                for count in 1...(list.count + 3) {
                    let parts = parts(assignment, list, count)
                    #expect(parts.allSatisfy { $0 == $0.sorted() })
                    #expect(parts.joined().sorted() == Array(0..<list.count), "\(list.count) trials, \(count) shards")
                }
            }
        }
    }

    /// Graham 1969; the best division is found by trying all.
    @Test func loadsNoShardWithMoreThanFourThirdsOfTheLeastPossible() {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<40 {
            let list = list(1, Int.random(in: 1...7, using: &random))
            let lengths = (0..<list.count).map { _ in Int.random(in: 1...1000, using: &random) }
            for count in 2...3 {
                let parts = parts(ShardAssignment(durations: durations(lengths, of: list)), list, count)
                let most = parts.map { $0.reduce(0) { $0 + lengths[$1] } }.max() ?? 0
                var best = Int.max
                for code in 0..<lengths.reduce(1, { product, _ in product * count }) {
                    var (loads, rest) = ([Int](repeating: 0, count: count), code)
                    for length in lengths {
                        loads[rest % count] += length
                        rest /= count
                    }
                    best = min(best, loads.max() ?? 0)
                }
                #expect(3 * most <= 4 * best, "\(lengths) among \(count): \(most) instead of \(best)")
            }
        }
    }

    @Test func givesManyTrialsOutEvenly() {
        var random = SeededGenerator(seed: 3)
        let list = list(12, 20)
        let lengths = (0..<list.count).map { _ in Int.random(in: 500...30_000, using: &random) }
        let parts = parts(ShardAssignment(durations: durations(lengths, of: list)), list, 7)
        let loads = parts.map { $0.reduce(0) { $0 + lengths[$1] } }
        // The last trial of the fullest shard was given to it when it was the emptiest.
        #expect((loads.max() ?? 0) - (loads.min() ?? 0) <= 30_000)
        #expect(7 * (loads.max() ?? 0) <= lengths.reduce(0, +) * 102 / 100, "\(loads)")
    }

    @Test func isTheSameOnEveryMachine() {
        let list = list(2, 3)
        func halves(_ lengths: [Int]) -> [[Int]] {
            parts(ShardAssignment(durations: durations(lengths, of: list)), list, 2)
        }
        // Of equal ones, the first trial to the first shard.
        #expect(halves([5, 5, 5, 5, 5, 5]) == [[0, 2, 4], [1, 3, 5]])
        #expect(halves([1, 9, 2, 8, 3, 7]) == [[0, 1, 2, 4], [3, 5]])
    }

    @Test func expectsTheMeanOfTheNetworkWhereARunIsUnknown() {
        let list = list(3, 2)
        let known = [
            run(0, of: list): Duration.seconds(1), run(2, of: list): .seconds(10), run(3, of: list): .seconds(4),
        ]
        // Nothing is known of the last network: the mean of all.
        #expect(ShardAssignment.expected(known, in: list) == [1, 1, 10, 4, 5, 5].map { .seconds($0) })
    }

    @Test func givesOutTrialsOfUnknownDurationByTheirIndex() {
        let list = list(3, 3)
        #expect(parts(ShardAssignment(durations: [:]), list, 4) == parts(ShardAssignment(), list, 4))
    }
}
