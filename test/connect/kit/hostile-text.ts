const MARKUP = `"><script>owned=1;alert(1)</script><img src=x onerror="owned=1">`
const SIGNS = '\u202Eesrever\u2066\u200B شركة 👩‍👩‍👧 Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞A'
const WORDS = "'onmouseover='owned=1' \u0024{7*7} {{7*7}} <!-- ]]> %00 &lt;b&gt; null undefined NaN"

/**
 * Hostile names of a source or user, of a given length: markup, characters that reverse, hide or stack text, another
 * script, templates, reserved words, and no place to break a line.
 */
export function hostileText(length: number): string {
  return `${MARKUP} ${SIGNS} ${WORDS.slice(0, length / 4)} ${'W'.repeat(length)}`.slice(0, length).toWellFormed()
}
