import { addDays, toDayText } from '../../kit/data/days.ts'
import { between, pick, seededRandom } from '../../kit/random.ts'
import { type Context, newGuid } from '../context.ts'
import type { Member, Transaction } from '../state.ts'

/** Days after which a pending transaction is booked. */
const PENDING_DAYS = 2
export const HISTORY_DAYS = 90

const SHOPS = [
  ['POS TAMARACK OFFICE SUPPLY #114', 'Tamarack Office Supply', 'Office Supplies'],
  ['ACHAT PDV ÉPICERIE DU COIN', 'Épicerie du Coin', 'Groceries'],
  ['JUNIPER FUEL STOP 0042', 'Juniper Fuel Stop', 'Gas'],
  ['NIMBUSWORKS HOSTING', 'Nimbusworks Hosting', 'Hosting'],
  ['BOIS DE SCIAGE LA MARÉE', 'Bois de sciage La Marée', 'Home Improvement'],
] as const

const CUSTOMERS = ['Halden Hardware', 'Traiteur Orlo & Fils', 'Pellwood Dental', 'Tourisme Témiscouata'] as const

type Words = Pick<Transaction, 'cents' | 'isCredit' | 'words' | 'merchant' | 'category'>

/** Generates transactions up to a day; pending ones are booked on the way, under the same guid or a new one. */
export function advanceMember(context: Context, member: Member, nowMs: number): void {
  const today = toDayText(nowMs)
  for (let day = addDays(member.through, 1); day <= today; day = addDays(day, 1)) {
    const roll = seededRandom(context.seed, 'mx-day', member.institutionCode, day)
    const date = new Date(`${day}T00:00:00Z`)
    if (date.getUTCDate() === 1)
      enter(
        context,
        member,
        'checking',
        day,
        { cents: 185_000, isCredit: false, words: 'LOYER LOCAL 4', merchant: 'Loyer', category: 'Rent' },
        false,
      )
    if (date.getUTCDay() % 6 !== 0) {
      const customer = pick(roll, CUSTOMERS)
      const cents = between(roll, 35_000, 148_000)
      enter(
        context,
        member,
        'checking',
        day,
        { cents, isCredit: true, words: `DEPOSIT ${customer.toUpperCase()}`, merchant: customer, category: 'Income' },
        false,
      )
    }
    const [words, merchant, category] = pick(roll, SHOPS)
    enter(context, member, 'card', day, { cents: between(roll, 425, 31_900), isCredit: false, words, merchant, category }, true)
    if (day < today) bookPending(context, member, addDays(day, 1), nowMs)
    member.through = day
  }
  bookPending(context, member, today, nowMs)
}

/** Fills a member with many booked transactions, spread over its accounts. */
export function writeGiant(context: Context, member: Member, nowMs: number): void {
  const today = toDayText(nowMs)
  member.through = today
  for (let n = 0; n < context.giant.transactions; n++) {
    const account = member.accounts[n % member.accounts.length]
    if (!account) return
    const day = addDays(today, -(n % HISTORY_DAYS))
    const merchant = CUSTOMERS[n % CUSTOMERS.length] ?? ''
    const words = { cents: 100 + (n % 9_973), isCredit: n % 3 === 0, words: `TRANSFER ${n}`, merchant, category: 'Transfer' }
    addTransaction(context, member, account.guid, day, words, false, nowMs)
  }
}

export function addTransaction(
  context: Context,
  member: Member,
  accountGuid: string,
  day: string,
  words: Words,
  isPending: boolean,
  nowMs: number,
): string {
  const guid = newGuid(context, 'TRN')
  member.transactions.push({ guid, accountGuid, day, ...words, isPending, updatedAt: nowMs })
  return guid
}

function enter(context: Context, member: Member, role: string, day: string, words: Words, isPending: boolean): void {
  const account = member.accounts.find((each) => each.role === role)
  if (account) addTransaction(context, member, account.guid, day, words, isPending, Date.parse(`${day}T12:00:00Z`))
}

/** MX matches some pending transactions to the booked ones; for the others, the pending one is silently deleted. */
function bookPending(context: Context, member: Member, today: string, nowMs: number): void {
  const due = member.transactions.filter(({ isPending, day }) => isPending && day <= addDays(today, -PENDING_DAYS))
  for (const pending of due) {
    pending.isPending = false
    pending.updatedAt = nowMs
    if (pending.cents % 2 === 0) pending.guid = newGuid(context, 'TRN')
  }
}
