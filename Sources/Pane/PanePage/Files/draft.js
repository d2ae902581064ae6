// SPDX-License-Identifier: Apache-2.0

/** The directions that have a column of figures, and the queries to name servers. */
export const LANES = ["downlink", "uplink", "dns"];
/** The figures with a field of their own; others stand in the field "more", as KEY=VALUE. */
export const FIGURES = ["rate", "delay", "jitter", "loss", "queue"];

const TRAFFIC = ["to", "port", "protocol", "exclude"];

/** What nothing has been typed into yet. A rule of the page ends by itself unless its reader removes the end. */
const empty = () => ({
  profile: "", edits: { downlink: {}, uplink: {}, dns: {} }, where: "", to: "", port: "", protocol: [], exclude: "",
  for: "10m", confirm: "", keepSSH: false, engine: "auto",
});

const copy = (values) => structuredClone(values);

/** "a.example, 10.0.0.0/8" as a list. */
const items = (text) => text.split(/[,;]+|\s{2,}/).map((item) => item.trim()).filter(Boolean);

/** The next rule, as its fields say; what it is compared with is what was applied last, or found on the network. */
export class Draft {
  #values = empty();
  #base = empty();
  #listeners = [];

  /** True while there is something that Apply would change, or Drop. */
  get touched() { return JSON.stringify(this.#values) !== JSON.stringify(this.#base); }
  get values() { return this.#values; }
  get profile() { return this.#values.profile; }

  /** Calls with the names of the fields that have changed. */
  on(listener) { this.#listeners.push(listener); }

  set(name, value) {
    if (JSON.stringify(this.#values[name]) === JSON.stringify(value)) return;
    this.#values[name] = value;
    this.#tell([name]);
  }

  /** Chooses a profile, without the figures typed for the one before. */
  choose(profile) {
    if (profile === this.#values.profile) return;
    Object.assign(this.#values, { profile, edits: empty().edits });
    this.#tell(["profile", "edits"]);
  }

  /** Sets a figure; an empty one is the profile's own again. */
  edit(lane, figure, value) {
    const { edits } = this.#values;
    if (value === "") delete edits[lane][figure];
    else edits[lane][figure] = value;
    this.#tell(["edits"]);
  }

  /** The typed figures of a lane, as `--downlink` takes them; undefined for none. */
  figures(lane) {
    const { more, ...figures } = this.#values.edits[lane];
    const words = Object.entries(figures).map(([key, value]) => `${key}=${value}`);
    if (more) words.push(more);
    return words.join(",") || undefined;
  }

  get hasEdits() { return LANES.some((lane) => this.figures(lane)); }

  /** The profile and its figures, for a preview or a profile of one's own. */
  get link() {
    return Object.fromEntries(LANES.map((lane) => [lane, this.figures(lane)]).filter(([, words]) => words));
  }

  /** The body of POST /v1/rules. */
  request(place) {
    const v = this.#values;
    const body = { profile: v.profile || undefined, ...this.link };
    if (place === "sandbox") return body;
    const [kind, name] = split(v.where);
    if (name) body[kind] = name;
    for (const key of TRAFFIC) {
      const list = Array.isArray(v[key]) ? v[key] : items(v[key]);
      if (list.length > 0) body[key] = list;
    }
    for (const key of ["for", "confirm"]) if (v[key].trim()) body[key] = v[key].trim();
    if (v.keepSSH) body.keepSSH = true;
    if (v.engine !== "auto") body.engine = v.engine;
    return body;
  }

  /** True for a rule that meets all traffic until it is removed by hand. */
  get isEndless() {
    const v = this.#values;
    return !v.for.trim() && !v.confirm.trim() && !items(v.to).length && !items(v.port).length && !v.protocol.length;
  }

  /** Fills fields in as a beginning, which is no change of the user's. */
  assume(values) {
    Object.assign(this.#values, values);
    Object.assign(this.#base, copy(values));
    this.#tell(Object.keys(values));
  }

  /** Makes what the fields say the base: it has been applied. */
  settle() {
    this.#base = copy(this.#values);
    this.#tell(Object.keys(empty()));
  }

  drop() {
    this.#values = copy(this.#base);
    this.#tell(Object.keys(empty()));
  }

  #tell(names) { for (const listener of this.#listeners) listener(names); }
}

/** "interface:eth0" as kind and name; a name may hold a colon. */
export function split(where) {
  const end = where.indexOf(":");
  return end < 0 ? ["interface", ""] : [where.slice(0, end), where.slice(end + 1)];
}
