// SPDX-License-Identifier: Apache-2.0

package import LinkConditioning
package import SandboxClient

extension ControlClient {
    package func status() throws(Refusal) -> StatusReport {
        guard let report = StatusReport(json: try state()) else { throw .otherVersion }
        return report
    }
}
