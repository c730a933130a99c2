/** Booked transaction of one account. */
export interface Movement {
  /** Days since 1970-01-01. */
  day: number
  /** Exact decimal; positive for incoming money. */
  amount: string
  text: string
}

/** Booked transactions of one account, and the period in which they are complete. */
export interface Movements {
  from: number
  until: number
  list: readonly Movement[]
}

/** Comparison of the transactions of two accounts in the period that both cover. */
export interface Overlap {
  from: number
  until: number
  /** Pairs with equal amounts, at most `MAX_DAYS_APART` apart. */
  matched: number
  /** Number of transactions of the side that has fewer. */
  fewer: number
  /** Share of transactions that have a partner, 0 to 1; the smaller share of the two sides. */
  share: number
  /** Number of different amounts among the pairs. */
  amounts: number
  /** Number of these amounts that are not round. */
  telling: number
  /** Share of pairs with similar texts among those in which both have a text; 1 if there are none. */
  alikeTexts: number
}

/** One source reports the day of the purchase, another that of the booking after a weekend. */
const MAX_DAYS_APART = 4
/** A period with fewer transactions than this is compared as a whole, including its ends. */
const FEW_INSIDE = 2
/** Minimum length of a common run of letters in two texts. */
const COMMON_LETTERS = 4

/** Null if the two have no common period, or one has no transaction in it. */
export function compareMovements(one: Movements, other: Movements): Overlap | null {
  const from = Math.max(one.from, other.from)
  const until = Math.min(one.until, other.until)
  if (from > until) return null
  const [ours, theirs] = [near(one, from, until), near(other, from, until)]
  const pairs = pairUp(ours, theirs)
  const [paired, partners] = [new Set(pairs.map(([a]) => a)), new Set(pairs.map(([, b]) => b))]
  const counted = windowOf(ours, theirs, { from, until })
  const isCounted = ({ day }: Movement): boolean => day >= counted.from && day <= counted.until
  const ofOne = ours.filter((movement) => isCounted(movement) || paired.has(movement))
  const ofOther = theirs.filter((movement) => isCounted(movement) || partners.has(movement))
  const fewer = Math.min(ofOne.length, ofOther.length)
  if (ofOne.length + ofOther.length === 0) return null
  const share = Math.min(shareOf(ofOne, paired), shareOf(ofOther, partners))
  const amounts = new Set(pairs.map(([a]) => a.amount))
  const withTexts = pairs.filter(([a, b]) => plain(a.text) !== '' && plain(b.text) !== '')
  return {
    from,
    until,
    matched: pairs.length,
    fewer,
    share,
    amounts: amounts.size,
    telling: [...amounts].filter((amount) => !isRound(amount)).length,
    alikeTexts: withTexts.length === 0 ? 1 : withTexts.filter(([a, b]) => areAlike(a.text, b.text)).length / withTexts.length,
  }
}

/**
 * Period in which each transaction should have a partner. Excludes the ends, where the partner may lie outside, unless
 * hardly any transactions remain.
 */
function windowOf(ours: readonly Movement[], theirs: readonly Movement[], whole: { from: number; until: number }) {
  const inner = { from: whole.from + MAX_DAYS_APART, until: whole.until - MAX_DAYS_APART }
  const isInside = ({ day }: Movement): boolean => day >= inner.from && day <= inner.until
  const inside = Math.min(ours.filter(isInside).length, theirs.filter(isInside).length)
  return inside < FEW_INSIDE ? whole : inner
}

/** Round amounts (whole tens) occur in every company. */
function isRound(amount: string): boolean {
  return /^-?\d*0$/.test(amount)
}

/** Transactions in a period, and those near enough to be partners of transactions inside it. */
function near({ list }: Movements, from: number, until: number): Movement[] {
  return list.filter(({ day }) => day >= from - MAX_DAYS_APART && day <= until + MAX_DAYS_APART)
}

/** Pairs of equal amounts, ordered by day; each transaction is in at most one pair. */
function pairUp(ours: readonly Movement[], theirs: readonly Movement[]): [Movement, Movement][] {
  const pairs: [Movement, Movement][] = []
  const byAmount = groupByAmount(theirs)
  for (const [amount, mine] of groupByAmount(ours)) {
    const yours = byAmount.get(amount) ?? []
    for (let i = 0, j = 0; i < mine.length && j < yours.length; ) {
      const [a, b] = [mine[i], yours[j]]
      if (!a || !b) break
      if (Math.abs(a.day - b.day) <= MAX_DAYS_APART) pairs.push([a, b])
      if (a.day - b.day > MAX_DAYS_APART) j += 1
      else if (b.day - a.day > MAX_DAYS_APART) i += 1
      else [i, j] = [i + 1, j + 1]
    }
  }
  return pairs
}

function groupByAmount(list: readonly Movement[]): Map<string, Movement[]> {
  const groups = new Map<string, Movement[]>()
  for (const movement of list.toSorted((a, b) => a.day - b.day)) {
    const group = groups.get(movement.amount)
    if (group) group.push(movement)
    else groups.set(movement.amount, [movement])
  }
  return groups
}

function shareOf(list: readonly Movement[], paired: ReadonlySet<Movement>): number {
  return list.length === 0 ? 0 : list.filter((movement) => paired.has(movement)).length / list.length
}

/** Whether two texts share a run of letters: sources shorten and clean the text of the bank. */
function areAlike(one: string, other: string): boolean {
  const [a, b] = [plain(one), plain(other)]
  const shorter = a.length <= b.length ? a : b
  const longer = a.length <= b.length ? b : a
  if (shorter.length <= COMMON_LETTERS) return longer.includes(shorter)
  for (let at = 0; at + COMMON_LETTERS <= shorter.length; at += 1) {
    if (longer.includes(shorter.slice(at, at + COMMON_LETTERS))) return true
  }
  return false
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFD')
    .replace(/[^\p{L}\p{N}]/gu, '')
}
