/** Words that a name may have in either language, and the form under which both are found. Left out: words that tell no bank from another. */
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

/** The words of a name as people type them: lower case, without accents, punctuation and, where others are left, fillers. */
function toWords(text: string): string[] {
  const plain = text.toLowerCase().replaceAll('œ', 'oe').replaceAll('æ', 'ae').normalize('NFD').replace(/\p{M}/gu, '')
  const words = plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
  const telling = words.filter((word) => !FILLERS.has(word))
  return telling.length > 0 ? telling : words
}

/** Under which a bank is found: its words, and once more with those of the other language. */
export function toSearchText(name: string): string {
  const words = toWords(name)
  const same = words.map((word) => SAME_WORDS[word] ?? word)
  return [...words, ...same.filter((word, index) => word !== words[index])].join(' ')
}

/** For each word that somebody looks for, the texts of which one must be in the search text of a bank. */
export function toSearchWords(typed: string): string[][] {
  return toWords(typed).map((word) => [...new Set([word, SAME_WORDS[word] ?? word])])
}
