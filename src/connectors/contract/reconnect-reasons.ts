import type { ReconnectReason } from './contract.ts'

/** A source's own words for why the owner has to act. */
export type ReasonWords = Readonly<Partial<Record<ReconnectReason, readonly string[]>>>

/** The reason that a word of a source stands for; null when it only says that access is over. */
export function reasonFor(words: ReasonWords, word: string | null | undefined): ReconnectReason | null {
  const reasons = ['consentExpired', 'codeNeeded', 'loginChanged', 'otherEntity'] as const
  return reasons.find((reason) => word && words[reason]?.includes(word)) ?? null
}
