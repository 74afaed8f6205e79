// The formats of R-424: what text each allows. All take time linear in the text.

import { isPattern } from "./patterns.js";

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const DAY_MIN = 24 * 60;
const TIME = /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i;
/** RFC 3339, Appendix A: whole numbers, no sign, and no unit left out between two. */
const DURATION =
  /^P(?:\d+W|(?=[\dT])(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)$/;
const ATOM = String.raw`[^\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000@"().,:;<>[\]\\]+`; // no space
const EMAIL = new RegExp(String.raw`^(?:${ATOM}(?:\.${ATOM})*|"[^"\r\n]*")@([^]+)$`);
const LABEL = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const URI = /^[a-z][a-z\d+.-]*:(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([^]*))?$/i;
const PART = /^(?:[\w.~!$&'()*+,;=:@/?-]|%[\da-f]{2})*$/i;
const AUTHORITY = /^(?:([^@[\]]*)@)?(?:\[([^[\]@]*)\]|([^:@[\]]*))(?::\d*)?$/i;
const FUTURE = /^v[\da-f]+\.[\w.~!$&'()*+,;=:-]+$/i;
const BYTE = /^(?:0|[1-9]\d{0,2})$/;
const WORD = /^[\da-f]{1,4}$/i;

function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text)?.map(Number) ?? [];
  if (!year || !month || !day || month > 12) return false;
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return day <= [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]!;
}

/** Say whether it is a time; a leap second ends a day of UTC. */
function isTime(text: string): boolean {
  const [whole, hour, minute, second, sign, ...offset] = TIME.exec(text) ?? [];
  if (whole === undefined) return false;
  if (second !== "60") return true;
  const east = sign ? Number(`${sign}1`) * (Number(offset[0]) * 60 + Number(offset[1])) : 0;
  return (Number(hour) * 60 + Number(minute) - east + 1) % DAY_MIN === 0;
}

/** Say whether there is a name before the last `@`, and a host or an address after it. */
function isEmail(text: string): boolean {
  const host = EMAIL.exec(text)?.[1] ?? "";
  const literal = /^\[([^]*)\]$/.exec(host)?.[1];
  if (literal === undefined) return isHostname(host) && !host.endsWith(".");
  return literal.startsWith("IPv6:") ? isIPv6(literal.slice(5)) : isIPv4(literal);
}

function isHostname(text: string): boolean {
  const name = text.replace(/\.$/, "");
  return name.length <= 253 && name.split(".").every((label) => LABEL.test(label));
}

function isIPv4(text: string): boolean {
  const parts = text.length > 15 ? [] : text.split(".");
  return parts.length === 4 && parts.every((part) => BYTE.test(part) && Number(part) < 256);
}

function isIPv6(text: string): boolean {
  if (text.length > 45) return false;
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const parts = halves.flatMap((half) => (half ? half.split(":") : []));
  const last = parts.at(-1) ?? "";
  const isMixed = last.includes(".") && !text.endsWith("::");
  if (isMixed && !isIPv4(parts.pop()!)) return false;
  const count = parts.length + (isMixed ? 2 : 0);
  return parts.every((part) => WORD.test(part)) && (halves.length === 2 ? count < 8 : count === 8);
}

function isURI(text: string): boolean {
  const [whole, authority = "", ...parts] = URI.exec(text) ?? [];
  return whole !== undefined && parts.every((part) => PART.test(part ?? "")) && isAuthority(authority);
}

function isAuthority(text: string): boolean {
  const match = AUTHORITY.exec(text);
  if (!match) return false;
  const [, user = "", literal, host = ""] = match;
  if (literal !== undefined && !FUTURE.test(literal) && !isIPv6(literal)) return false;
  return PART.test(user) && PART.test(host);
}

export const FORMATS = new Map<string, (text: string) => boolean>([
  ["date", isDate],
  ["date-time", (text) => /^[Tt]$/.test(text[10] ?? "") && isDate(text.slice(0, 10)) && isTime(text.slice(11))],
  ["duration", (text) => DURATION.test(text)],
  ["email", isEmail],
  ["hostname", isHostname],
  ["ipv4", isIPv4],
  ["ipv6", isIPv6],
  ["regex", isPattern],
  ["time", isTime],
  ["uri", isURI],
  ["uuid", (text) => UUID.test(text)],
]);
