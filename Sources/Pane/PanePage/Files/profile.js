// SPDX-License-Identifier: Apache-2.0

import { get } from "./api.js";
import { el, nameNode, setName, setText, show } from "./dom.js";
import { makeDrawings } from "./drawings.js";
import { makeFigures } from "./figures.js";
import { latest } from "./latest.js";
import { makeSave } from "./save.js";

/** One profile, large: its figures, its drawings, and what it feels like. */
export function makeProfile(draft, problems, reload) {
  const title = nameNode();
  const summary = el("p", { class: "muted" });
  const source = el("p", { class: "source muted" });
  const feels = el("ul", { class: "feels", "aria-label": "What it feels like" });
  const figures = makeFigures(draft);
  const drawings = makeDrawings();
  const save = makeSave(draft, (name) => reload(name));
  let base = null, asked = "";
  // The profile's own figures stand beside edits; a preview shows them only while nothing is edited.
  async function ask(signal) {
    const { profile, link, hasEdits } = draft;
    if (hasEdits && base?.name !== profile) {
      base = { name: profile, figures: (await get("/v1/preview", { profile }, signal)).figures };
    }
    const answer = await get("/v1/preview", { profile, ...link }, signal);
    if (!hasEdits) base = { name: profile, figures: answer.figures };
    return answer;
  }
  function draw(answer) {
    node.classList.remove("pending");
    problems.problem("preview", null);
    problems.problem("recording", answer.problem ? { message: answer.problem } : null);
    figures.update(base.figures);
    drawings.update(answer.drawing);
    feels.replaceChildren(...(answer.feels ?? []).map((text) => el("li", {}, text)));
  }
  const preview = latest(120, ask, draw, (refusal) => problems.problem("preview", refusal));
  const node = el("div", { class: "profile" },
    el("div", { class: "titles" }, el("h2", {}, title), save.open), summary, save.form,
    figures.node, drawings.node, feels, source);
  return {
    node, figures,
    draw(entry) {
      setName(title, draft.profile);
      setText(summary, entry?.summary ?? "");
      setText(source, entry?.source ? `Source: ${entry.source}` : entry?.file ?? "");
      show(source, source.textContent !== "");
      const now = JSON.stringify([draft.profile, draft.link]);
      if (now === asked || !draft.profile) return;
      const [profile] = JSON.parse(asked || "[]");
      if (profile !== draft.profile) problems.problem("preview", null);
      asked = now;
      // What is shown is that of the profile before until the server has answered.
      node.classList.toggle("pending", base?.name !== draft.profile);
      preview();
      if (base?.name === draft.profile) figures.update(base.figures);
    },
  };
}
