// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Testing

@testable import linkcond

@Suite struct CommandNameTests {
    @Test func eachCommandIsFoundByItsName() {
        for command in Linkcond.configuration.subcommands {
            #expect(Linkcond.type(named: command.configuration.commandName) == command)
            #expect(command.configuration._superCommandName == Linkcond.configuration.commandName)
        }
        #expect(Linkcond.type(named: "help") == nil)
        #expect(Linkcond.type(named: nil) == nil)
    }
}
