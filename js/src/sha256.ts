// SHA-256 (FIPS 180-4), because the implementation of the platform (`crypto.subtle`) is asynchronous.

const PRIMES: number[] = [];
for (let n = 2; PRIMES.length < 64; n += 1) if (PRIMES.every((prime) => n % prime)) PRIMES.push(n);
const fraction = (root: number): number => ((root % 1) * 2 ** 32) | 0;
const START = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const ROUND = PRIMES.map((prime) => fraction(Math.cbrt(prime)));
const turned = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));

/** Return the digest of a text, encoded in UTF-8, as hexadecimal digits. */
export function sha256(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const padded = new Uint8Array((((bytes.length + 8) >> 6) + 1) << 6);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, bytes.length << 3);
  const hash = [...START];
  const words = new Int32Array(64);
  for (let at = 0; at < padded.length; at += 64) block(view, at, words, hash);
  return hash.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

function block(view: DataView, at: number, words: Int32Array, hash: number[]): void {
  for (let i = 0; i < 64; i += 1) {
    if (i < 16) words[i] = view.getInt32(at + 4 * i);
    else {
      const [w, v] = [words[i - 15]!, words[i - 2]!];
      const low = turned(w, 7) ^ turned(w, 18) ^ (w >>> 3);
      const high = turned(v, 17) ^ turned(v, 19) ^ (v >>> 10);
      words[i] = words[i - 16]! + low + words[i - 7]! + high;
    }
  }
  let [a, b, c, d, e, f, g, h] = hash as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < 64; i += 1) {
    const one = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + ROUND[i]! + words[i]!) | 0;
    const two = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => (hash[index] = (hash[index]! + word) | 0));
}
