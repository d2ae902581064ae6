// SPDX-License-Identifier: Apache-2.0

/// The script of a page: a line that follows the pointer, and zooming. The page is complete without it.
enum PageScript {
    static let text = """
        "use strict";
        for (const scroll of document.querySelectorAll(".scroll")) {
          const plots = scroll.querySelector(".plots"), grid = scroll.querySelector(".grid");
          const tools = scroll.previousElementSibling;
          if (!plots || !grid || !tools) continue;
          tools.hidden = false;
          let zoom = 1;
          const add = (text, label, next) => {
            const button = document.createElement("button");
            button.type = "button";
            button.textContent = text;
            button.setAttribute("aria-label", label);
            button.addEventListener("click", () => {
              const middle = (scroll.scrollLeft + scroll.clientWidth / 2) / plots.clientWidth;
              zoom = Math.min(64, Math.max(1, next(zoom)));
              plots.style.setProperty("--zoom", zoom);
              scroll.scrollLeft = middle * plots.clientWidth - scroll.clientWidth / 2;
            });
            tools.append(button);
          };
          add("+", "Closer", z => z * 2);
          add("−", "Wider", z => z / 2);
          add("1:1", "Whole time", () => 1);
          const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
          line.setAttribute("class", "pointer");
          line.setAttribute("y1", "0");
          line.setAttribute("y2", "100%");
          plots.addEventListener("pointermove", event => {
            const box = grid.getBoundingClientRect(), x = event.clientX - box.left;
            if (x < 0 || x > box.width) { line.remove(); return; }
            line.setAttribute("x1", x);
            line.setAttribute("x2", x);
            if (!line.parentNode) grid.append(line);
          });
          plots.addEventListener("pointerleave", () => line.remove());
        }

        """

    /// The script's SHA-256, by which the page's policy allows it; a test compares the hash with the script.
    static let hash = "sha256-3g1EsT9ooIlunmk9Zy1V+AsRUQeWeXk53MJzplgPcNU="
}
