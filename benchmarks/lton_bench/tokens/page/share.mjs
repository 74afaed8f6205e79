// What the fields hold as a link to this page, and texts on the clipboard.

const KEY = "#fields=";

async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

/** Get the part of an address that holds texts: nothing of it is sent to a server. */
export async function linkOf(texts) {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(JSON.stringify(texts)));
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return KEY + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Get the texts of such a part, or nothing, where it is none. */
export async function textsOf(link, count) {
  if (!link.startsWith(KEY)) return null;
  try {
    const binary = atob(link.slice(KEY.length).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
    const texts = JSON.parse(new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), bytes)));
    const fits = Array.isArray(texts) && texts.length === count && texts.every((text) => typeof text === "string");
    return fits ? texts : null;
  } catch {
    return null;
  }
}

/** Put a text on the clipboard; say whether that could be done. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
