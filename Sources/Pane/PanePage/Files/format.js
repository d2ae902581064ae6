// SPDX-License-Identifier: Apache-2.0

/** Three digits, without zeros at the end. */
export function digits(value) {
  if (value === 0) return "0";
  const size = Math.floor(Math.log10(Math.abs(value)));
  const places = Math.max(0, Math.min(6, 2 - size));
  return String(Number(value.toFixed(places)));
}

function scaled(value, step, units) {
  let size = 0;
  while (size < units.length - 1 && Math.abs(value) >= step * 0.9995) {
    value /= step;
    size += 1;
  }
  return `${digits(value)} ${units[size]}`;
}

/** "1.25 Mbit/s" of bits per second. */
export const rate = (bits) => scaled(bits, 1000, ["bit/s", "kbit/s", "Mbit/s", "Gbit/s"]);

/** "64 kB" of bytes. */
export const bytes = (count) => scaled(count, 1000, ["B", "kB", "MB", "GB", "TB"]);

/** "120 ms", "1.5 s" of milliseconds. */
export const time = (ms) => (ms >= 1000 ? `${digits(ms / 1000)} s` : `${digits(ms)} ms`);

/** "1.5 %" of a share from 0 to 1. */
export const share = (part) => `${digits(part * 100)} %`;

/** "1 packet", "1 200 packets". */
export const counted = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;

/** Thousands apart by a narrow space. */
export const number = (count) => String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, "\u202f");

/** "3 min", "2 h 5 min", "4 days": how long something has lasted, for people. */
export function lasted(seconds) {
  const s = Math.max(0, Math.floor(seconds));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min`;
  if (s < 172800) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  return `${Math.floor(s / 86400)} days`;
}

/** "7:12", "1:07:12": a countdown. */
export function countdown(seconds) {
  const s = Math.max(0, Math.ceil(seconds));
  const two = (part) => String(part).padStart(2, "0");
  const minutes = Math.floor((s % 3600) / 60);
  return s < 3600 ? `${minutes}:${two(s % 60)}` : `${Math.floor(s / 3600)}:${two(minutes)}:${two(s % 60)}`;
}

/** "14:05:30" of seconds since 1970, in the reader's time zone. */
export function clock(seconds) {
  return new Date(seconds * 1000).toLocaleTimeString("en-GB");
}

/** "eth0", "eth0, lo", "eth0, lo and 3 more". */
export function listed(words, most = 3) {
  const unique = [...new Set(words)];
  if (unique.length <= most) return unique.join(", ");
  return `${unique.slice(0, most).join(", ")} and ${unique.length - most} more`;
}
