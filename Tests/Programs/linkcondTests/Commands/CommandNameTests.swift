// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Testing

@testable import linkcond

@Suite struct CommandNameTests {
    @Test(arguments: CommandName.allCases)
    func isTheNameOfItsCommand(name: CommandName) {
        let configuration = name.type.configuration
        #expect(configuration.commandName == name.rawValue)
        #expect(configuration._superCommandName == Linkcond.configuration.commandName)
    }

    @Test func isNoOtherWord() {
        #expect(CommandName(rawValue: "help") == nil)
        #expect(Set(CommandName.allCases.map { "\($0.type)" }).count == CommandName.allCases.count)
    }
}
