// Reads the entities of HTML in names and attributes.

import { pattern, type Match } from "./patterns.js";

/** The entities that may lack a semicolon, and their characters in the same order. */
const NAMES =
  "AElig AMP Aacute Acirc Agrave Aring Atilde Auml COPY Ccedil ETH Eacute Ecirc Egrave Euml GT Iacute Icirc Igrave Iuml LT Ntilde Oacute Ocirc Ograve Oslash Otilde Ouml QUOT REG THORN Uacute Ucirc Ugrave Uuml Yacute aacute acirc acute aelig agrave amp aring atilde auml brvbar ccedil cedil cent copy curren deg divide eacute ecirc egrave eth euml frac12 frac14 frac34 gt iacute icirc iexcl igrave iquest iuml laquo lt macr micro middot nbsp not ntilde oacute ocirc ograve ordf ordm oslash otilde ouml para plusmn pound quot raquo reg sect shy sup1 sup2 sup3 szlig thorn times uacute ucirc ugrave uml uuml yacute yen yuml";
const CHARACTERS = "Æ&ÁÂÀÅÃÄ©ÇÐÉÊÈË>ÍÎÌÏ<ÑÓÔÒØÕÖ\"®ÞÚÛÙÜÝáâ´æà&åãä¦ç¸¢©¤°÷éêèðë½¼¾>íî¡ì¿ï«<¯µ· ¬ñóôòªºøõö¶±£\"»®§­¹²³ßþ×úûù¨üý¥ÿ";
const KNOWN = new Map(NAMES.split(" ").map((name, index) => [name, [...CHARACTERS][index]!]));
const ENTITY = pattern(String.raw`&(?:\#(?:[xX]([0-9a-fA-F]{1,7})|([0-9]{1,8}));?|([A-Za-z][A-Za-z0-9]{1,31})(;?))`);

/** Replace the numeric entities of a text, and the named entities of Latin-1. Other names stay as they are. */
export function unescapeEntities(text: string): string {
  return text.includes("&") ? ENTITY.sub(charOf, text) : text;
}

/** Return whether a text contains an entity, which may be one with a name that this module does not know. */
export function hasEntities(text: string): boolean {
  if (!text.includes("&")) return false;
  for (const match of ENTITY.finditer(text)) if (match.group(4) === ";" || charOf(match) !== match.text) return true;
  return false;
}

function charOf(match: Match): string {
  const name = match.group(3);
  if (name === undefined) return charOfNumber(parseInt(match.group(1) ?? match.group(2)!, match.group(1) ? 16 : 10));
  if (name === "apos" && match.group(4)) return "'";
  if (match.group(4)) return KNOWN.get(name) ?? named(name, match.group(4)!);
  return named(name, "");
}

/** Replace the longest known name at the start of a name without its own entity. */
function named(name: string, after: string): string {
  for (let size = name.length; size > 1; size -= 1) {
    const char = KNOWN.get(name.slice(0, size));
    if (char !== undefined) return char + name.slice(size) + after;
  }
  return `&${name}${after}`;
}

function charOfNumber(code: number): string {
  const isScalar = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isScalar ? String.fromCodePoint(code) : "\ufffd";
}
