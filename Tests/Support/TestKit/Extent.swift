// SPDX-License-Identifier: Apache-2.0

import Foundation
package import Testing

/// How much the tests try.
package enum Extent: Int, Comparable {
    /// Each behaviour once: scripts/test.
    case once
    /// With the sweeps: scripts/test --all.
    case all
    /// For hours: scripts/check/soak.
    case soak

    package static let current: Extent = {
        let environment = ProcessInfo.processInfo.environment
        if environment["LINKCOND_SOAK"] != nil { return .soak }
        return environment["LINKCOND_SWEEPS"] != nil ? .all : .once
    }()

    package static func < (left: Extent, right: Extent) -> Bool { left.rawValue < right.rawValue }

    /// What a test tries by the extent of the run.
    package static func choose<Value>(once: Value, all: Value, soak: Value) -> Value {
        switch current {
        case .once: once
        case .all: all
        case .soak: soak
        }
    }
}

extension Collection {
    /// One of so many, for a test that tries each once; all of them in a sweep.
    package func oneOf(_ number: Int) -> [Element] {
        let step = Extent.choose(once: number, all: 1, soak: 1)
        return enumerated().filter { $0.offset % step == 0 }.map(\.element)
    }
}

extension Trait where Self == ConditionTrait {
    /// Tries what other tests try, too, in more forms or at more moments.
    package static var sweep: Self { .enabled(if: Extent.current > .once, "a sweep: scripts/test --all") }
}
