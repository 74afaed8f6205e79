// Check the formats of R-424. All checks take time linear in the text.

import { sizeOf } from "../values.js";
import { isPattern } from "./patterns.js";

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const DAY_MIN = 24 * 60;
const TIME = /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))?$/i;
/** RFC 3339, Appendix A: whole numbers without a sign, and no gap between the units. */
const DURATION =
  /^P(?:\d+W|(?=[\dT])(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)$/;
const ATOM = String.raw`[^\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000@"().,:;<>[\]\\]+`; // no space
const EMAIL = new RegExp(String.raw`^(?:${ATOM}(?:\.${ATOM})*|"[^"\r\n]*")@([^]+)$`);
const LABEL = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** A label of a host name with characters beyond ASCII. */
const HOST = /^[^\0-,./:-@[-`{-\x9f\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/u;
const URI = /^(?:([a-z][a-z\d+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([^]*))?$/i;
/** RFC 3987: characters beyond ASCII that are allowed in all of an IRI (`ucschar`), or only in its query (`iprivate`). */
const BEYOND =
  String.raw`\xa0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef` +
  Array.from({ length: 13 }, (_, index) => (index + 1).toString(16)).map((plane) => String.raw`\u{${plane}0000}-\u{${plane}fffd}`).join("") +
  String.raw`\u{e1000}-\u{efffd}`;
const PRIVATE = String.raw`\ue000-\uf8ff\u{f0000}-\u{ffffd}\u{100000}-\u{10fffd}`;

/** Return the pattern of a forbidden character, or a `%` without two digits. */
function wrong(allowed: string): RegExp {
  return new RegExp(String.raw`[^%${allowed}]|%(?![\da-fA-F]{2})`, "u");
}

const ASCII = String.raw`\w.~!$&'()*+,;=:@\/?\-`;
const NOT_URI = wrong(ASCII);
const NOT_IRI = wrong(ASCII + BEYOND);
const NOT_QUERY = wrong(ASCII + BEYOND + PRIVATE);
const NOT_LITERAL = wrong(String.raw`\w.~!$&()*+,;=:@\/?#\[\]\-` + BEYOND + PRIVATE);
const VARIABLE = String.raw`(?:\w|%[\da-f]{2})(?:\.?(?:\w|%[\da-f]{2}))*(?::[1-9]\d{0,3}|\*)?`;
const EXPRESSION = new RegExp(String.raw`\{[+#./;?&=,!@|]?${VARIABLE}(?:,${VARIABLE})*\}`, "gi");
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

/** Return whether a text is a time, with or without a time zone. A leap second must be at the end of a UTC day. */
function isTime(text: string): boolean {
  const [whole, hour, minute, second, sign, ...offset] = TIME.exec(text) ?? [];
  if (whole === undefined) return false;
  if (second !== "60") return true;
  const east = sign ? Number(`${sign}1`) * (Number(offset[0]) * 60 + Number(offset[1])) : 0;
  return (Number(hour) * 60 + Number(minute) - east + 1) % DAY_MIN === 0;
}

/** Return whether a text has a name before the last `@`, and a host or an address after it. */
function isEmail(text: string, isHost = isHostname): boolean {
  const host = EMAIL.exec(text)?.[1] ?? "";
  const literal = /^\[([^]*)\]$/.exec(host)?.[1];
  if (literal === undefined) return isHost(host) && !host.endsWith(".");
  return literal.startsWith("IPv6:") ? isIPv6(literal.slice(5)) : isIPv4(literal);
}

function isHostname(text: string): boolean {
  const name = text.replace(/\.$/, "");
  return name.length <= 253 && name.split(".").every((label) => LABEL.test(label));
}

/** Return whether a text is the name of a host, which may contain characters beyond ASCII. */
function isAnyHostname(text: string): boolean {
  const isLabel = (label: string): boolean => sizeOf(label) <= 63 && HOST.test(label) && !/^-|-$/.test(label);
  return sizeOf(text) <= 253 && text.split(".").every(isLabel);
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

/** Return whether a text is a URI or an IRI (RFC 3987), or a reference. */
function isURI(text: string, isReference: boolean, isIRI: boolean): boolean {
  const match = URI.exec(text);
  if (!match) return false;
  const [, scheme, authority = "", path = "", query = "", fragment = ""] = match;
  if (scheme === undefined && (!isReference || path.split("/", 1)[0]!.includes(":"))) return false;
  const not = isIRI ? NOT_IRI : NOT_URI;
  const notQuery = isIRI ? NOT_QUERY : NOT_URI;
  return isAuthority(authority, not) && !not.test(path) && !notQuery.test(query) && !not.test(fragment);
}

function isAuthority(text: string, not: RegExp): boolean {
  const match = AUTHORITY.exec(text);
  if (!match) return false;
  const [, user = "", literal, host = ""] = match;
  if (literal !== undefined && !FUTURE.test(literal) && !isIPv6(literal)) return false;
  return !not.test(user) && !not.test(host);
}

/** Return whether a text is a JSON Pointer (RFC 6901). */
function isPointer(text: string): boolean {
  return (text === "" || text.startsWith("/")) && !/~(?![01])/.test(text);
}

/** Return whether a text is a relative JSON Pointer: a number of levels, then a JSON Pointer or `#`. */
function isRelativePointer(text: string): boolean {
  const levels = /^(?:0|[1-9]\d*)/.exec(text)?.[0];
  const rest = text.slice(levels?.length);
  return levels !== undefined && (rest === "#" || isPointer(rest));
}

export const FORMATS = new Map<string, (text: string) => boolean>([
  ["date", isDate],
  ["date-time", (text) => /^[Tt]$/.test(text[10] ?? "") && isDate(text.slice(0, 10)) && isTime(text.slice(11))],
  ["duration", (text) => DURATION.test(text)],
  ["email", (text) => isEmail(text)],
  ["hostname", isHostname],
  ["idn-email", (text) => isEmail(text, isAnyHostname)],
  ["ipv4", isIPv4],
  ["ipv6", isIPv6],
  ["iri", (text) => isURI(text, false, true)],
  ["iri-reference", (text) => isURI(text, true, true)],
  ["json-pointer", isPointer],
  ["regex", isPattern],
  ["relative-json-pointer", isRelativePointer],
  ["time", isTime],
  ["uri", (text) => isURI(text, false, false)],
  ["uri-reference", (text) => isURI(text, true, false)],
  // An expression counts as a literal: RFC 6570.
  ["uri-template", (text) => !NOT_LITERAL.test(text.replace(EXPRESSION, "-"))],
  ["uuid", (text) => UUID.test(text)],
]);
