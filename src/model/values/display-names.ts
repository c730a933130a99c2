const LONGEST = 80
const MAX_WHOLE = 500

/** Invisible characters, and those that reorder adjacent text. */
const INVISIBLE = /[\p{Cc}\p{Cs}\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/

/**
 * Sanitizes a name chosen by others (company, bank, organisation) for a sentence of ours: one line, at most 80
 * characters, no characters that hide or reorder text; a right-to-left name is isolated.
 */
export function safeDisplayName(name: string): string {
  return cleanName(name, LONGEST)
}

/** The same with a much higher limit, to be shown beside a truncated name. */
export function safeFullName(name: string): string {
  return cleanName(name, MAX_WHOLE)
}

function cleanName(name: string, longest: number): string {
  const plain = name.toWellFormed().replace(/\s+/g, ' ').replace(INVISIBLE, '').trim()
  const characters = [...plain.slice(0, longest * 4)]
  const clipped = characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : plain
  return RIGHT_TO_LEFT.test(clipped) ? `\u2068${clipped}\u2069` : clipped
}

/** One or two initials of a name; a dot when it has none. */
export function initialsOf(name: string): string {
  const words = name.normalize('NFC').match(/[\p{L}\p{N}]+/gu) ?? []
  const letters = words.slice(0, 2).map((word) => [...word][0] ?? '')
  return letters.join('').toUpperCase().slice(0, 4) || '•'
}
