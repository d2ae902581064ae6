// SPDX-License-Identifier: Apache-2.0

import PanePage
import Testing

@Suite struct PageFileTests {
    @Test func containsThePageWithItsType() throws {
        let page = try #require(PageFile.named("index.html"))
        #expect(page.text.hasPrefix("<!DOCTYPE html>\n"))
        #expect(page.type == "text/html; charset=utf-8")
    }
}
