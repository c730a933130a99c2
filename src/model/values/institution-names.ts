import { toPlainWords } from './text.ts'

/**
 * Words that a name may have in either language, with their common form. Left out: words that distinguish no bank from
 * another.
 */
const SAME_WORDS: Readonly<Record<string, string>> = {
  banque: 'bank',
  bancaire: 'banking',
  caisse: 'credit union',
  nationale: 'national',
  royale: 'royal',
  epargne: 'savings',
  fiducie: 'trust',
  imperiale: 'imperial',
  laurentienne: 'laurentian',
  canadienne: 'canadian',
  canadien: 'canadian',
  affaires: 'business',
  entreprises: 'business',
  populaire: 'popular',
  agricole: 'farm',
  federale: 'federal',
  communautaire: 'community',
  ouest: 'west',
  est: 'east',
  nord: 'north',
  sud: 'south',
}

/** Search text of a bank: its words, and again with those of the other language. */
export function toSearchText(name: string): string {
  const words = toPlainWords(name)
  const same = words.map((word) => SAME_WORDS[word] ?? word)
  return [...words, ...same.filter((word, index) => word !== words[index])].join(' ')
}

/** Words of a name in their common form, the same for both languages. */
export function toCommonWords(name: string): string[] {
  return toPlainWords(name).flatMap((word) => (SAME_WORDS[word] ?? word).split(' '))
}

/** Search alternatives: for each word typed, the texts one of which must be in a bank's search text. */
export function toSearchWords(typed: string): string[][] {
  return toPlainWords(typed).map((word) => [...new Set([word, SAME_WORDS[word] ?? word])])
}
