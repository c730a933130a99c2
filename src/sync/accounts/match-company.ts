import { setImmediate } from 'node:timers/promises'
import { type AccountEvidence, findReasons, type Reason } from './same-account.ts'

/** Account of a company at one of its services. */
export interface CompanyAccount extends AccountEvidence {
  id: string
  serviceId: string
}

/** Two records of the same account, with the reasons. */
export interface AccountMatch {
  one: CompanyAccount
  other: CompanyAccount
  reasons: readonly Reason[]
}

/** Pairs compared before yielding to other work. */
const AT_ONCE = 100

/**
 * All pairs of accounts of one company that are the same account. A service lists an account once, so two accounts of
 * one service are never the same, and an account that resembles two of them is linked to neither.
 */
export async function matchCompany(accounts: readonly CompanyAccount[]): Promise<AccountMatch[]> {
  const found: AccountMatch[] = []
  for (const [index, [one, other]] of listCandidates(accounts).entries()) {
    if (index % AT_ONCE === AT_ONCE - 1) await setImmediate()
    const reasons = findReasons(one, other)
    if (reasons) found.push({ one, other, reasons })
  }
  return withoutConflicts(found.filter((match) => !isAmbiguous(match, found)))
}

/** Candidate pairs, each once: of different services, without different endings. */
export function listCandidates<Account extends CompanyAccount>(accounts: readonly Account[]): [Account, Account][] {
  const byEnding = Map.groupBy(accounts, ({ ending }) => toEndingKey(ending))
  const unnumbered = byEnding.get('') ?? []
  return accounts.flatMap((one) => {
    const key = toEndingKey(one.ending)
    const alike = (byEnding.get(key) ?? []).filter((other) => one.id < other.id)
    return [...alike, ...(key === '' ? [] : unnumbered)]
      .filter((other) => one.serviceId !== other.serviceId)
      .map((other): [Account, Account] => [one, other])
  })
}

/** Last two characters of the number, which every source shows if it shows any; empty without a number. */
function toEndingKey(ending: string): string {
  return ending.length < 2 ? '' : ending.slice(-2).toUpperCase()
}

/** Whether either side has another partner at the other service; only the full number outweighs that. */
function isAmbiguous(match: AccountMatch, found: readonly AccountMatch[]): boolean {
  const rivals = found.filter(
    (rival) => rival !== match && (isRival(match.one, match.other, rival) || isRival(match.other, match.one, rival)),
  )
  return rivals.length > 0 && !(hasNumber(match) && rivals.every((rival) => !hasNumber(rival)))
}

function isRival(kept: CompanyAccount, partner: CompanyAccount, { one, other }: AccountMatch): boolean {
  const its = one === kept ? other : other === kept ? one : null
  return its !== null && its !== partner && its.serviceId === partner.serviceId
}

function hasNumber({ reasons }: AccountMatch): boolean {
  return reasons.some(({ code }) => code === 'sameNumber')
}

/** Drops groups that would join two accounts of one service through a third account. */
function withoutConflicts(matches: readonly AccountMatch[]): AccountMatch[] {
  const groups = groupAccounts(matches.map(({ one, other }) => [one, other]))
  const isConflict = (group: ReadonlySet<CompanyAccount>) => new Set([...group].map(({ serviceId }) => serviceId)).size < group.size
  const conflicting = new Set(groups.filter(isConflict).flatMap((group) => [...group]))
  return matches.filter(({ one }) => !conflicting.has(one))
}

/** Groups joined by pairs, directly or through others. */
export function groupAccounts<Account>(pairs: readonly (readonly [Account, Account])[]): Set<Account>[] {
  const groupOf = new Map<Account, Set<Account>>()
  for (const [one, other] of pairs) {
    const joined = new Set([...(groupOf.get(one) ?? [one]), ...(groupOf.get(other) ?? [other])])
    for (const account of joined) groupOf.set(account, joined)
  }
  return [...new Set(groupOf.values())]
}
