// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import Containers

/// Which container a word means, of those that several sources know.
@Suite struct ContainerSearchTests {
    private struct Source: ContainerSource {
        var name = "engine"
        var description = "engine"
        var all: [Container] = []
        var failure: ContainerError?

        func containers(named word: String) throws(ContainerError) -> [Container] {
            if let failure { throw failure }
            return all.filter { $0.name == word || $0.id.hasPrefix(word) }
        }

        func running() throws(ContainerError) -> [Container] { all }
        func events() -> EngineEvents? { nil }
    }

    private func container(_ id: String, _ name: String, process: Int32? = nil) -> Container {
        Container(id: id, name: name, status: process == nil ? "exited" : "running", process: process, start: "1")
    }

    private func failure(_ word: String, _ sources: [Source]) throws -> ContainerError {
        try #require(throws: ContainerError.self) { try ContainerNetwork(of: word, sources) }
    }

    @Test(arguments: ["", "a b", "-a", "a/../b", "http://", "ä", "a\n"])
    func asksNobodyForWhatIsNoName(word: String) throws {
        #expect(try failure(word, [Source(all: [container("a", "a")])]).kind == .usage)
    }

    /// A name counts before the start of an ID. One that an engine and its runtime know is one.
    @Test func prefersItsName() throws {
        let engine = Source(all: [container("ab1", "web"), container("cd2", "ab")])
        let runtime = Source(description: "runtime", all: [container("ab1", "ab1"), container("cd2", "cd2")])
        #expect(try failure("ab", [engine, runtime]).message == "container ab does not run: exited")
        #expect(try failure("ab1", [engine, runtime]).message == "container web does not run: exited")
        #expect(try failure("a", [Source(all: [container("ab1", "x"), container("ac1", "y")])]).kind == .usage)
    }

    /// Two engines may each have one of this name.
    @Test func refusesToChooseBetweenEngines() throws {
        let others = Source(description: "other engine", all: [container("cd2", "web")])
        let error = try failure("web", [Source(all: [container("ab1", "web")]), others])
        #expect(error.kind == .usage && error.message.contains("other engine"))
    }

    @Test func saysThatNothingIsKnownWhereAnEngineCannotBeAsked() throws {
        let silent = Source(failure: ContainerError(.notPermitted, "cannot ask it"))
        let error = try failure("web", [silent, Source(all: [])])
        #expect(error.kind == .notPermitted && error.message == "cannot ask it")
        // Another one knows it.
        #expect(try failure("web", [silent, Source(all: [container("ab1", "web")])]).kind == .notFound)
    }

    @Test func namesTheNearest() throws {
        #expect(try failure("wed", [Source(all: [container("ab1", "web")])]).remedy == "--container web")
        #expect(try failure("web", []).kind == .unavailable)
    }

    /// Knows a container that is started anew all the time.
    private struct Restless: ContainerSource {
        let name = "restless"
        let description = "restless"
        func containers(named word: String) throws(ContainerError) -> [Container] {
            let start = "\(UInt64.random(in: 0 ... .max))"
            return [Container(id: word, name: word, status: "running", process: getpid(), start: start)]
        }
        func running() throws(ContainerError) -> [Container] { [] }
        func events() -> EngineEvents? { nil }
    }

    /// A container that is started anew all the time leaves no file of its networks open. In a process whose descriptors
    /// no other test opens.
    @Test func closesWhatItDoesNotUse() async {
        await #expect(processExitsWith: .success) {
            func count() -> Int { (0..<256).count { fcntl($0, F_GETFD) >= 0 } }
            func ask() {
                let error = #expect(throws: ContainerError.self) { try ContainerNetwork(of: "web", [Restless()]) }
                #expect(error?.message.contains("again and again") == true)
            }
            // The first may open what the process keeps.
            ask()
            let before = count()
            for _ in 0..<20 { ask() }
            #expect(count() == before)
        }
    }

    /// This process's network is the machine's, whatever the engine calls it.
    @Test func refusesTheMachinesOwnNetwork() throws {
        let error = try failure("web", [Source(all: [container("ab1", "web", process: getpid())])])
        #expect(error.kind == .unavailable && error.message.contains("this machine's network"))
    }

    /// The process has ended, and the engine does not know it yet: nobody can have the ID 0x7FFFFFFF.
    @Test func takesNoProcessThatHasEnded() throws {
        let error = try failure("web", [Source(all: [container("ab1", "web", process: .max)])])
        #expect(error.kind == .notFound && error.message.contains("again and again"))
    }
}
