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
const FILLERS: ReadonlySet<string> = new Set(['of', 'the', 'and', 'de', 'du', 'des', 'la', 'le', 'les', 'et', 'd', 'l'])

/** Words of a name as typed: lower case, without accents, punctuation and, unless nothing else remains, fillers. */
function toWords(text: string): string[] {
  const plain = text.toLowerCase().replaceAll('œ', 'oe').replaceAll('æ', 'ae').normalize('NFD').replace(/\p{M}/gu, '')
  const words = plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
  const telling = words.filter((word) => !FILLERS.has(word))
  return telling.length > 0 ? telling : words
}

/** Search text of a bank: its words, and again with those of the other language. */
export function toSearchText(name: string): string {
  const words = toWords(name)
  const same = words.map((word) => SAME_WORDS[word] ?? word)
  return [...words, ...same.filter((word, index) => word !== words[index])].join(' ')
}

/** Words of a name in their common form, the same for both languages. */
export function toCommonWords(name: string): string[] {
  return toWords(name).flatMap((word) => (SAME_WORDS[word] ?? word).split(' '))
}

/** Search alternatives: for each word typed, the texts one of which must be in a bank's search text. */
export function toSearchWords(typed: string): string[][] {
  return toWords(typed).map((word) => [...new Set([word, SAME_WORDS[word] ?? word])])
}
