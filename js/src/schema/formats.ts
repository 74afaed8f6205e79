// The formats of R-424: what text each allows. All take time linear in the text.

import { isPattern } from "./patterns.js";

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;
const amounts = (units: string): string => [...units].map((unit) => `(?:\\d+(?:[.,]\\d+)?${unit})?`).join("");
const DURATION = new RegExp(`^[+-]?P(?:\\d+(?:[.,]\\d+)?W|(?=[\\dT])${amounts("YMD")}(?:T(?=\\d)${amounts("HMS")})?)$`);
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
  ["date-time", (text) => /^[Tt]$/.test(text[10] ?? "") && isDate(text.slice(0, 10)) && TIME.test(text.slice(11))],
  ["duration", (text) => DURATION.test(text)],
  ["email", (text) => text.includes("@")],
  ["hostname", isHostname],
  ["ipv4", isIPv4],
  ["ipv6", isIPv6],
  ["regex", isPattern],
  ["time", (text) => TIME.test(text)],
  ["uri", isURI],
  ["uuid", (text) => UUID.test(text)],
]);
