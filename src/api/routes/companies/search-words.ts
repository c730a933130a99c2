import { badField } from '../../errors/errors.ts'

export const MAX_WORDS = 10

/** Words of a search, each once. Throws a bad request for more than `MAX_WORDS`. */
export function toSearchWords(text: string | undefined): string[] {
  const words = [...new Set((text ?? '').split(/\s+/u).filter(Boolean))]
  if (words.length > MAX_WORDS) throw badField('Search', `has more than ${MAX_WORDS} words`)
  return words
}
