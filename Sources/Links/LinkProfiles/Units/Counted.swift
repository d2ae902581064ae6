// SPDX-License-Identifier: Apache-2.0

/// A number with its noun: "1 connection", "2 connections".
package func counted(_ number: some BinaryInteger, _ noun: String) -> String {
    "\(number) \(number == 1 ? noun : "\(noun)s")"
}
