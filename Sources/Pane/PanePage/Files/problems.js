// SPDX-License-Identifier: Apache-2.0

/** The message of a refusal, with what to type instead. */
const sentence = ({ message, isTransient, remedy }) =>
  `${message}${remedy ? `; try: ${remedy}` : ""}${isTransient ? "; trying again" : ""}`;

/** The fields of a rule besides its figures. */
const WHERE = new Set(["interface", "container", "to", "port", "protocol", "exclude", "for", "confirm", "engine",
  "keepSSH"]);

/** Messages of the server, each at the field that it is about, else in the bar that applies. */
export function makeProblems() {
  const open = new Map();
  return {
    places: null,
    problem(source, refusal) {
      if (refusal) open.set(source, refusal);
      else if (!open.delete(source)) return;
      this.draw();
    },
    draw() {
      const { figures, where, apply } = this.places;
      const rest = [];
      let figure, place;
      for (const refusal of open.values()) {
        const field = refusal.field ?? "";
        if (/^(downlink|uplink|dns)\b/.test(field)) figure = refusal;
        else if (field && where && WHERE.has(field)) place = refusal;
        else if (refusal.status !== 0) rest.push(sentence(refusal));
      }
      figures.fail(figure?.field ?? "", figure?.message ?? "");
      where?.fail(place?.field ?? "", place?.message ?? "");
      apply.fail([...new Set(rest)].join("\n"));
    },
  };
}
