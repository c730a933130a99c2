import { type AccountMatch, type CompanyAccount, matchCompany } from '../../src/sync/accounts/match-company.ts'
import { Random } from '../simulation/random.ts'
import { ACCOUNT_SOURCES } from './account-sources.ts'
import { BANKS, makeAccount, TODAY, type TrueAccount, type TrueMovement } from './accounts.ts'
import { NEAR_MISSES } from './near-misses.ts'
import { readAccounts } from './read-accounts.ts'
import type { AccountSource, Shown } from './shown.ts'

const DAY_MS = 86_400_000
const KINDS = Object.keys(NEAR_MISSES)

/** What matching made of the generated companies of one seed. */
export interface Tally {
  found: number
  pairs: number
  /** Pairs of accounts that are not one. */
  others: number
  missed: string[]
  wrong: string[]
}

/** Matches companies of one seed: in each, one account is shown by two sources, among others that resemble it. */
export async function tallyCompanies(seed: number, pairs: number): Promise<Tally> {
  const tally: Tally = { found: 0, pairs, others: 0, missed: [], wrong: [] }
  const random = new Random(seed)
  for (let pair = 0; pair < pairs; pair += 1) {
    const { shared, sources, sides, kinds } = makeCompany(random, pair)
    const keys = new Map<string, TrueAccount>()
    const label = `seed ${seed}, ${pair}: ${sources.map(({ key }) => key).join(' and ')}`
    const ofOne = await show(random, sources[0], 'a', sides[0], keys)
    const ofOther = await show(random, sources[1], 'b', sides[1], keys)
    const isWrong = ({ one, other }: AccountMatch) => keys.get(one.id) !== keys.get(other.id)
    const links = await matchCompany([...ofOne, ...ofOther])
    if (links.some(({ one }) => keys.get(one.id) === shared)) tally.found += 1
    else tally.missed.push(label)
    // The account itself is not there to be the better match.
    const alone = await matchCompany([...ofOne, ...ofOther.filter(({ id }) => keys.get(id) !== shared)])
    tally.wrong.push(...[...links, ...alone].filter(isWrong).map(() => `${label}: ${kinds.join('; ')}`))
    tally.others += sides[0].length * sides[1].length - 1
  }
  return tally
}

/** An account that two sources show, and accounts that resemble it, most of them shown by one source only. */
function makeCompany(random: Random, pair: number) {
  const shared = makeAccount(random, random.pick(BANKS))
  const kinds = [...new Set([random.pick(KINDS), random.pick(KINDS), KINDS[pair % KINDS.length] ?? ''])]
  const sides: [TrueAccount[], TrueAccount[]] = [[shared], [shared]]
  for (const kind of kinds) {
    const account = NEAR_MISSES[kind]?.(random, shared)
    if (account) for (const side of random.chance(0.2) ? sides : [random.pick(sides)]) side.push(account)
  }
  return { shared, kinds, sides, sources: twoSources(pair) }
}

/** All pairs of sources in turn. */
function twoSources(pair: number): [AccountSource, AccountSource] {
  const one = ACCOUNT_SOURCES[pair % ACCOUNT_SOURCES.length]
  const others = ACCOUNT_SOURCES.filter((source) => source !== one)
  const other = others[Math.floor(pair / ACCOUNT_SOURCES.length) % others.length]
  if (!one || !other) throw new Error('no sources')
  return [one, other]
}

/** Accounts as one source shows them: with its name of the bank, its history, its balance of some hour. */
async function show(
  random: Random,
  source: AccountSource,
  service: string,
  accounts: readonly TrueAccount[],
  keys: Map<string, TrueAccount>,
): Promise<CompanyAccount[]> {
  const bankNames = new Map(accounts.map(({ bank }) => [bank, random.pick(bank.names)]))
  const hasNumber = random.chance(0.95)
  const until = TODAY - random.below(3)
  const shown = accounts.map((account): Shown => {
    const inTime = account.movements.filter(({ day }) => day > until - source.days && day <= until)
    return {
      account,
      id: `${ACCOUNT_SOURCES.indexOf(source) + 1}${account.key}`,
      bankName: bankNames.get(account.bank) ?? '',
      hasNumber,
      movements: inTime.map((one) => asBooked(random, one)).filter(({ booked }) => booked <= until),
      balance: random.chance(0.6) ? account.balance : account.balance + 1 + random.below(90_000),
      readAt: until * DAY_MS + random.below(DAY_MS),
    }
  })
  const read = await readAccounts(source, `00000000-0000-4000-8000-00000000000${service}`, shown)
  if (read.length !== accounts.length) throw new Error(`${source.key} shows ${read.length} of ${accounts.length} accounts`)
  for (const [index, { id }] of read.entries()) {
    const origin = accounts[index]
    if (origin) keys.set(id, origin)
  }
  return read
}

/** Sources book some purchases up to three days later. */
function asBooked(random: Random, one: TrueMovement) {
  return { ...one, booked: one.day + (random.chance(0.3) ? 1 + random.below(3) : 0) }
}
