// SPDX-License-Identifier: Apache-2.0

/**
 * Makes an element: `el("button", {class: "quiet", onclick: f}, "Drop")`. Texts become text nodes, never markup.
 * Functions become listeners; false and undefined attributes are left out.
 */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) setAttribute(node, name, value);
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

function setAttribute(node, name, value) {
  if (typeof value === "function") node.addEventListener(name.slice(2), value);
  else if (value === true) node.setAttribute(name, "");
  else if (value !== false && value !== undefined && value !== null) node.setAttribute(name, value);
}

/** An element of SVG; its namespace needs another call. */
export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** Sets a text only if it differs, so that nothing is laid out again for nothing. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Sets or removes an attribute only if it differs. */
export function setAttr(node, name, value) {
  if (value === null || value === undefined || value === false) {
    if (node.hasAttribute(name)) node.removeAttribute(name);
  } else if (node.getAttribute(name) !== String(value)) {
    node.setAttribute(name, String(value));
  }
}

/** Shows or hides. */
export function show(node, shown) {
  if (node.hidden === shown) node.hidden = !shown;
}

/** A name from elsewhere (profile, process, host): isolated from the text around it, cut with an ellipsis. */
export function nameNode(text = "", kind = "") {
  const node = el("bdi", { class: `name ${kind}`.trim() });
  setName(node, text);
  return node;
}

export function setName(node, text) {
  setText(node, text);
  setAttr(node, "title", text || null);
}

/**
 * Makes the children of `parent` those of `items`, in their order; nodes of the same key stay.
 *
 * @param {(item: object) => string} key
 * @param {(item: object) => Element} make
 * @param {(node: Element, item: object) => void} update
 */
export function keyed(parent, items, key, make, update) {
  const old = new Map([...parent.children].map((node) => [node.dataset.key, node]));
  let next = parent.firstElementChild;
  for (const item of items) {
    const name = key(item);
    let node = old.get(name);
    old.delete(name);
    if (!node) {
      node = make(item);
      node.dataset.key = name;
    }
    update(node, item);
    if (node === next) next = next.nextElementSibling;
    else parent.insertBefore(node, next);
  }
  for (const node of old.values()) node.remove();
}

/** Says something to a screen reader, once. */
export function say(text) {
  setText(document.getElementById("said"), text);
}

/** A button that copies the text that `text()` returns, and says so. */
export function copyButton(text, label = "Copy") {
  const button = el("button", { type: "button", class: "quiet small" }, label);
  button.addEventListener("click", async () => {
    const done = await navigator.clipboard.writeText(text()).then(() => true, () => false);
    button.textContent = done ? "Copied" : "Not copied";
    say(done ? "Copied" : "The browser does not let the page copy");
    setTimeout(() => { button.textContent = label; }, 1500);
  });
  return button;
}
