// SPDX-License-Identifier: Apache-2.0

import Foundation

extension String {
    /// Decodes what a program printed as JSON.
    func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(utf8))
    }
}
