import type { Fingerprint } from '../../connectors/contract/reidentification.ts'

/** Account on one side of a reconnect. `fingerprint` is null where nothing distinguishes it from others. */
export interface KnownAccount<T> {
  account: T
  fingerprint: Fingerprint | null
}

export interface Matches<Before, Now> {
  pairs: { before: Before; now: Now }[]
  /** Ambiguous: they resemble an account of the other side, but not one alone. */
  unclear: Before[]
  /** Ambiguous ones among those that had ended before. */
  unclearEnded: Before[]
}

/**
 * Known accounts that are not listed under their ids, accounts that had ended before, and accounts listed under new
 * ids.
 */
export interface MatchInput<Before, Now> {
  before: readonly KnownAccount<Before>[]
  ended: readonly KnownAccount<Before>[]
  now: readonly KnownAccount<Now>[]
  /** Listed under their known ids. */
  seen: readonly KnownAccount<unknown>[]
}

/**
 * Account matching: which accounts before a reconnect are which accounts now. Never guesses: equal persistent ids
 * decide, then descriptions, each only for a unique pair; different persistent ids exclude a match. An ended account
 * returns only if no other account now resembles it.
 */
export function matchAccounts<Before, Now>(sides: MatchInput<Before, Now>): Matches<Before, Now> {
  const pairs: Matches<Before, Now>['pairs'] = []
  const matched = new Set<KnownAccount<unknown>>()
  const certain: KnownAccount<unknown>[] = [...sides.seen]
  const take = (found: [KnownAccount<Before>, KnownAccount<Now>][]): void => {
    for (const [before, now] of found) {
      matched.add(before).add(now)
      certain.push(now)
      pairs.push({ before: before.account, now: now.account })
    }
  }
  const isFree = (one: KnownAccount<unknown>): boolean => !matched.has(one)
  take(pairUnique(sides.before, sides.now, isSamePersistent))
  take(pairUnique(sides.ended, sides.now.filter(isFree), isSamePersistent))
  const before = sides.before.filter(isFree)
  const now = sides.now.filter(isFree)
  const hasEnded = new Set<KnownAccount<unknown>>(sides.ended)
  const tiers = Math.max(0, ...now.map(({ fingerprint }) => fingerprint?.descriptions.length ?? 0))
  for (let tier = 0; tier < tiers; tier += 1) {
    const fits = isAlike(tier)
    const mayReturn = ([one, other]: [KnownAccount<Before>, KnownAccount<Now>]): boolean =>
      !hasEnded.has(one) || !certain.some((account) => fits(account, other))
    // Accounts matched by a stronger tier still count: what resembles two stays ambiguous when one is taken away. Ended
    // accounts count as soon as a description is incomplete.
    const known = tier === 0 ? before : [...before, ...sides.ended.filter(isFree)]
    take(pairUnique(known, now, fits).filter((pair) => pair.every(isFree) && mayReturn(pair)))
    const unseen = now.filter((other) => isFree(other) && !before.some((one) => fits(one, other)))
    if (tier === 0) take(pairUnique(sides.ended.filter(isFree), unseen, fits).filter(mayReturn))
  }
  const resembles = (one: KnownAccount<Before>, other: KnownAccount<Now>): boolean =>
    Array.from({ length: tiers }, (_, tier) => isAlike(tier)(one, other)).some(Boolean)
  const unmatched = now.filter(isFree)
  const unclear = before.filter((one) => isFree(one) && unmatched.some((other) => resembles(one, other)))
  const unclearEnded = sides.ended.filter((one) => isFree(one) && unmatched.some((other) => resembles(one, other)))
  return { pairs, unclear: unclear.map(toAccount), unclearEnded: unclearEnded.map(toAccount) }
}

/** Whether a login with only new ids is a different one: every account is distinguishable, and none is a known one. */
export function isOtherLogin(
  { before, now }: { before: readonly KnownAccount<unknown>[]; now: readonly KnownAccount<unknown>[] },
  { pairs, unclear, unclearEnded }: Matches<unknown, unknown>,
): boolean {
  if (pairs.length + unclear.length + unclearEnded.length > 0) return false
  return before.length > 0 && now.length > 0 && [...before, ...now].every(({ fingerprint }) => fingerprint !== null)
}

const toAccount = <T>({ account }: KnownAccount<T>): T => account

type Predicate = <Before, Now>(before: KnownAccount<Before>, now: KnownAccount<Now>) => boolean

/** Pairs in which each is the only match of the other. */
function pairUnique<Before, Now>(
  before: readonly KnownAccount<Before>[],
  now: readonly KnownAccount<Now>[],
  fits: Predicate,
): [KnownAccount<Before>, KnownAccount<Now>][] {
  return before.flatMap((one): [KnownAccount<Before>, KnownAccount<Now>][] => {
    const [other, ...others] = now.filter((candidate) => fits(one, candidate))
    if (!other || others.length > 0) return []
    return before.filter((candidate) => fits(candidate, other)).length === 1 ? [[one, other]] : []
  })
}

const isSamePersistent: Predicate = (before, now) => {
  const id = before.fingerprint?.persistentId ?? null
  return id !== null && id === now.fingerprint?.persistentId
}

function isAlike(tier: number): Predicate {
  return ({ fingerprint: before }, { fingerprint: now }) => {
    const description = before?.descriptions[tier]
    if (description === undefined || description !== now?.descriptions[tier]) return false
    return before?.persistentId == null || now.persistentId === null || before.persistentId === now.persistentId
  }
}
