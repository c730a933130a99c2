/** How often a text has each word, in the singular; names in camel case are several words. */
export type WordCounts = ReadonlyMap<string, number>

const SHORTEST_WORD = 3
/** A word of the path counts as often as that many in the text. */
const WEIGHT_OF_PATH = 3

export function countWords(path: string, text: string): WordCounts {
  const counts = new Map<string, number>()
  const add = (from: string, weight: number): void => {
    for (const match of from.match(/[A-Z]?[a-z]+/g) ?? []) {
      const word = match.toLowerCase().replace(/s$/, '')
      if (word.length >= SHORTEST_WORD) counts.set(word, (counts.get(word) ?? 0) + weight)
    }
  }
  add(path, WEIGHT_OF_PATH)
  add(text.replace(/^import [^;]*? from '[^']+'$/gm, ''), 1)
  return counts
}

/**
 * Compares texts by their words (TF-IDF, cosine): 0 without a word in common, 1 for the same text. A word weighs the
 * more, the fewer of `corpus` have it.
 * Source: https://nlp.stanford.edu/IR-book/html/htmledition/tf-idf-weighting-1.html
 */
export class TextSimilarity {
  readonly #size: number
  readonly #textsWith = new Map<string, number>()
  readonly #vectors = new Map<WordCounts, ReadonlyMap<string, number>>()

  constructor(corpus: readonly WordCounts[]) {
    this.#size = corpus.length
    for (const counts of corpus) for (const word of counts.keys()) this.#textsWith.set(word, (this.#textsWith.get(word) ?? 0) + 1)
  }

  compare(one: WordCounts, other: WordCounts): number {
    const [a, b] = [this.#vectorOf(one), this.#vectorOf(other)]
    return [...a].reduce((sum, [word, weight]) => sum + weight * (b.get(word) ?? 0), 0)
  }

  /** Of length 1. */
  #vectorOf(counts: WordCounts): ReadonlyMap<string, number> {
    const known = this.#vectors.get(counts)
    if (known) return known
    const weights = [...counts].map(([word, count]): [string, number] => {
      const rarity = Math.log((this.#size + 1) / ((this.#textsWith.get(word) ?? 0) + 1))
      return [word, (1 + Math.log(count)) * rarity]
    })
    const length = Math.hypot(...weights.map(([, weight]) => weight)) || 1
    const vector = new Map(weights.map(([word, weight]) => [word, weight / length]))
    this.#vectors.set(counts, vector)
    return vector
  }
}
