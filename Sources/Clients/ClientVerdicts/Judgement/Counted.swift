// SPDX-License-Identifier: Apache-2.0

/// A number with its noun: "1 connection", "2 connections".
func counted(_ number: Int, _ noun: String) -> String {
    "\(number) \(number == 1 ? noun : noun + "s")"
}
