// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import LinkProfiles

@Suite struct GilbertElliottTests {
    private func percent(_ percent: Double) -> Probability {
        Probability(fraction: percent / 100)
    }

    @Test func turnsLossAndBurstIntoTheChain() throws {
        let chain = try #require(GilbertElliott(loss: percent(1), burst: 3))
        // r = 1 / 3, p = 0.01 * r / 0.99
        #expect("\(chain.p)" == "0.3367003367 %")
        #expect("\(chain.r)" == "33.3333333333 %")
        #expect(chain.lossInBad == .one)
        #expect(chain.lossInGood == .zero)
        #expect(chain.meanLoss == 0.01)
        #expect(chain.meanBurst == 3)
    }

    @Test(arguments: [(0.1, 1), (1, 3), (2.2, 20), (10, 1.5), (33, 7.25), (50, 1), (90, 40), (99, 1000)])
    func comesBackFromTheChainToLossAndBurst(loss: Double, burst: Double) throws {
        let observed = try #require(GilbertElliott(loss: percent(loss), burst: burst))
        let chain = GilbertElliott(p: observed.p, r: observed.r)
        #expect(abs(chain.meanLoss - loss / 100) < 1e-9)
        #expect(abs((chain.meanBurst ?? 0) - burst) < 1e-6)
    }

    @Test(arguments: [(50, 1), (75, 3), (80, 4), (90, 9), (95, 19), (99, 99), (60, 1.5)])
    func admitsTheShortestBurstThatALossCanHave(loss: Double, burst: Double) throws {
        // loss / (1 - loss) packets exactly: the good state is left at once.
        let chain = try #require(GilbertElliott(loss: percent(loss), burst: burst))
        #expect(abs(chain.p.fraction - 1) < 1e-9)
    }

    @Test(arguments: [(100.0, 3.0), (90, 3), (1, 0.99), (1, 0), (1, -1), (1, .nan), (51, 1)])
    func knowsWhichChainsDoNotExist(loss: Double, burst: Double) {
        #expect(GilbertElliott(loss: percent(loss), burst: burst) == nil)
    }

    @Test func weighsTheLossesOfBothStates() {
        let chain = GilbertElliott(p: percent(10), r: percent(30), lossInBad: percent(80), lossInGood: percent(4))
        // A quarter of the time in the bad state.
        #expect(abs(chain.meanLoss - (0.25 * 0.8 + 0.75 * 0.04)) < 1e-12)
    }

    @Test func staysInTheGoodStateWhereTheChainNeverMoves() {
        let chain = GilbertElliott(p: .zero, r: .zero, lossInGood: percent(5))
        #expect(chain.meanLoss == 0.05)
        #expect(chain.meanBurst == nil)
    }

    @Test func losesAllWhereTheBadStateIsNeverLeft() {
        #expect(GilbertElliott(p: percent(1), r: .zero).meanLoss == 1)
    }

    @Test func agreesWithASimulatedChain() {
        let chain = GilbertElliott(p: percent(2), r: percent(25), lossInBad: percent(70), lossInGood: percent(1))
        var generator = SeededGenerator(seed: 7)
        var isBad = false
        let sample = LossSample {
            isBad = isBad ? !generator.hits(chain.r) : generator.hits(chain.p)
            return generator.hits(isBad ? chain.lossInBad : chain.lossInGood)
        }
        #expect(abs(sample.mean - chain.meanLoss) < 4 * sample.standardError)
        #expect(sample.standardError < chain.meanLoss / 50)
    }

    @Test func isTheMeanLossOfTheModel() throws {
        let chain = try #require(GilbertElliott(loss: percent(2), burst: 5))
        #expect(LossModel.gilbertElliott(chain).meanLoss == 0.02)
        #expect(LossModel.random(percent(2)).meanLoss == 0.02)
    }
}
