// SPDX-License-Identifier: Apache-2.0
// Finds the elements that a user would: by role and by the start of the accessible name; visible ones only.
(() => {
  const implicit = (node) => {
    const tag = node.localName, type = (node.getAttribute("type") ?? "text").toLowerCase();
    if (tag === "input") {
      return { search: "searchbox", checkbox: "checkbox", radio: "radio", number: "spinbutton", range: "slider",
        button: "button", submit: "button" }[type] ?? (node.hasAttribute("list") ? "combobox" : "textbox");
    }
    if (tag === "a") return node.hasAttribute("href") ? "link" : "";
    if (/^h[1-6]$/.test(tag)) return "heading";
    return { button: "button", select: "combobox", textarea: "textbox", header: "banner", main: "main", table: "table",
      summary: "button", option: "option", li: "listitem", tr: "row", section: "region", dialog: "dialog", svg: "img",
      code: "code", output: "status" }[tag] ?? "";
  };
  const role = (node) => node.getAttribute("role") ?? implicit(node);
  // The text without what is hidden from those who listen.
  const text = (node) => {
    const copy = node.cloneNode(true);
    for (const each of copy.querySelectorAll?.("[aria-hidden=true]") ?? []) each.remove();
    return copy.textContent;
  };
  const told = (node, name) => (node.getAttribute(name) ?? "").split(/\s+/).filter(Boolean)
    .map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
  const name = (node) => {
    const words = told(node, "aria-labelledby") || node.getAttribute("aria-label")
      || [...(node.labels ?? [])].map(text).join(" ")
      || (/^(input|select|textarea|table|section)$/.test(node.localName)
        ? node.querySelector?.(":scope > caption")?.textContent ?? node.getAttribute("placeholder") : text(node))
      || node.getAttribute("title") || "";
    return words.replace(/[\u2066-\u2069\u200e\u200f]/g, "").replace(/\s+/g, " ").trim();
  };
  const seen = (node) => node.checkVisibility({ visibilityProperty: true }) && node.getClientRects().length > 0
    && !node.closest("[aria-hidden=true], [inert]");
  const find = (roles, start) => {
    const low = start.toLowerCase();
    return [...document.querySelectorAll("body *")].filter((node) => roles.includes(role(node))
      && name(node).toLowerCase().startsWith(low) && seen(node))
      .sort((one, other) => name(one).length - name(other).length)[0] ?? null;
  };
  const point = (node) => {
    node.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const box = node.getBoundingClientRect();
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };
  const now = () => {
    const node = document.activeElement;
    return node && { role: role(node), name: name(node), value: String(node.value ?? ""),
      shown: node.getBoundingClientRect().toJSON(), outline: getComputedStyle(node).outlineStyle };
  };
  const complaint = (node) => [told(node, "aria-errormessage"), told(node, "aria-describedby")].join(" ").trim();
  // The time at which a test is first true, by the page's own clock: how fast the suite is does not count.
  const watch = (test) => new Promise((done) => {
    const timer = setInterval(() => {
      if (!test()) return;
      clearInterval(timer);
      done(Date.now() / 1000);
    }, 5);
  });
  window.suite = { find, role, name, point, now, complaint, seen, watch };
})();
