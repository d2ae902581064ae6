// SPDX-License-Identifier: Apache-2.0

import ProfileCatalog

extension CatalogError {
    /// The error that `action` throws; nil where it throws none.
    static func thrown(by action: () throws(CatalogError) -> some Any) -> CatalogError? {
        do throws(CatalogError) {
            _ = try action()
            return nil
        } catch {
            return error
        }
    }

    /// The system's error number; nil if there is none.
    var systemCode: CInt? {
        switch self {
        case .unreadable(let file): file.code
        case .unusableTraces(_, let traces): traces.first?.unreadable?.code
        case .unknownName, .unknownScenario, .unknownPopulation, .invalid: nil
        }
    }
}
