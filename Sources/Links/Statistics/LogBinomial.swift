// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The logarithm of the number of ways to choose `chosen` of `all`.
package func logBinomial(_ all: Int, _ chosen: Int) -> Double {
    lgamma(Double(all + 1)) - lgamma(Double(chosen + 1)) - lgamma(Double(all - chosen + 1))
}
