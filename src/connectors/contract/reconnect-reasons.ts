import type { ReconnectReason } from './contract.ts'

/** A source's own words for the reason why the owner has to act. */
export type ReasonWords = Readonly<Partial<Record<ReconnectReason, readonly string[]>>>

/** Reason for a word of a source; null when it only means that access has ended. */
export function reasonFor(words: ReasonWords, word: string | null | undefined): ReconnectReason | null {
  const reasons = ['consentExpired', 'codeNeeded', 'loginChanged', 'otherEntity'] as const
  return reasons.find((reason) => word && words[reason]?.includes(word)) ?? null
}
