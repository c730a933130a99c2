/**
 * Upper half of code page 850, as written by DOS banking programs; its letters up to 0xA5 are those of 437 too.
 * Source: https://www.unicode.org/Public/MAPPINGS/VENDORS/MICSFT/PC/CP850.TXT
 */
const UPPER_HALF =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0'

const FIRST_UPPER = 0x80
/** Last letter of the block in which code page 850 has most of its letters; windows-1252 has punctuation there, but for a few letters. */
const LAST_DOS_LETTER = 0xa5
/** First letter of windows-1252 in the block that holds nearly all of its letters. */
const FIRST_WINDOWS_LETTER = 0xc0
/** ß in DOS, á in Windows: no evidence. */
const EITHER = 0xe1
/** Letters of windows-1252 below its block, and its apostrophe and dashes, which occur between letters. */
const WINDOWS_WITHIN_WORDS: ReadonlySet<number> = new Set([0x8a, 0x8c, 0x8e, 0x91, 0x92, 0x96, 0x97, 0x9a, 0x9c, 0x9e, 0x9f])
/** Maximum number of non-ASCII bytes examined. */
const MAX_WITNESSES = 2_000
const HEAD_BYTES = 200

/**
 * Whether a text without a declared encoding, and not UTF-8, was written in a DOS code page: decided by its non-ASCII
 * bytes next to letters.
 */
export function isDosText(bytes: Uint8Array): boolean {
  if (declaresEncoding(bytes)) return false
  let dos = 0
  let windows = 0
  for (let at = 0, asked = 0; at < bytes.length && asked < MAX_WITNESSES; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte < FIRST_UPPER) continue
    asked += 1
    if (byte === EITHER || !(isLetter(bytes[at - 1]) || isLetter(bytes[at + 1]))) continue
    if (byte >= FIRST_WINDOWS_LETTER) windows += 1
    else if (byte <= LAST_DOS_LETTER && !WINDOWS_WITHIN_WORDS.has(byte)) dos += 1
  }
  return dos > windows
}

export function decodeDos(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  return text.replace(/[\u0080-\u00ff]/g, (mark) => UPPER_HALF[mark.charCodeAt(0) - FIRST_UPPER] ?? mark)
}

const WINDOWS = new TextDecoder('windows-1252')

/** Text of `decodeDos` as windows-1252 would decode it. */
export function dosAsWindows(text: string): string {
  if (!/[\u0080-\uffff]/.test(text)) return text
  const bytes = Uint8Array.from(text, (character) => {
    const place = UPPER_HALF.indexOf(character)
    return place === -1 ? character.charCodeAt(0) : place + FIRST_UPPER
  })
  return WINDOWS.decode(bytes)
}

/** XML and the OFX header declare their encoding. */
function declaresEncoding(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1').trimStart()
  return head.startsWith('<') || head.startsWith('OFXHEADER')
}

function isLetter(byte: number | undefined): boolean {
  if (byte === undefined) return false
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x7a
}
