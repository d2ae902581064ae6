// SPDX-License-Identifier: Apache-2.0

import Foundation

// What libFuzzer calls: https://llvm.org/docs/LibFuzzer.html.

/// The target that the environment names.
private let chosen: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
        print(FuzzTarget.all.map(\.name).joined(separator: "\n"))
        exit(name.isEmpty ? 0 : 64)
    }
    return target
}()

/// Writes the target's seeds into the directory FUZZ_SEEDS and exits, where that is set.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutableRawPointer, _ arguments: UnsafeMutableRawPointer) -> CInt {
    let target = chosen
    guard let directory = ProcessInfo.processInfo.environment["FUZZ_SEEDS"] else { return 0 }
    for (index, seed) in target.seeds.enumerated() {
        guard FileManager.default.createFile(atPath: "\(directory)/seed-\(index)", contents: Data(seed)) else {
            exit(73)
        }
    }
    exit(0)
}

/// Parses one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func parseInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    chosen.parse(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

/// libFuzzer's driver, as its header has it.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ parse: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The main function, by the name under which the package manager links it in a debug build.
@_cdecl("fuzz_parsers_main")
public func runFuzzer(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    var (count, arguments) = (count, arguments)
    return runDriver(&count, &arguments, parseInput)
}
