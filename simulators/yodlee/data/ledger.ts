import { addDays, toDayText } from '../../kit/data/days.ts'
import { between, pick, seededRandom } from '../../kit/random.ts'
import { type Context, newId } from '../context.ts'
import type { ProviderAccount, Transaction } from '../state.ts'

/** Days after which a pending transaction is booked. */
const PENDING_DAYS = 2
export const HISTORY_DAYS = 90

const SHOPS = [
  ['POS SALTMARSH LUMBER 22', 'Saltmarsh Lumber', 'Home Improvement'],
  ['ACHAT PAPETERIE ÉTOILE', 'Papeterie Étoile', 'Office Expenses'],
  ['BIRCHLINE COURIER', 'Birchline Courier', 'Postage and Shipping'],
  ['RESTAURANT LA CUILLÈRE', 'La Cuillère', 'Restaurants'],
] as const

const CUSTOMERS = ['Halden Hardware', 'Clinique Pellerin', 'Studio Marrowfield', 'Garage Côté et Fille'] as const

type Words = Pick<Transaction, 'cents' | 'isCredit' | 'words' | 'merchant' | 'category' | 'status'>

/** Generates transactions up to a day; pending ones are deleted and booked under another id on the way. */
export function advance(context: Context, account: ProviderAccount, nowMs: number): void {
  const today = toDayText(nowMs)
  for (let day = addDays(account.through, 1); day <= today; day = addDays(day, 1)) {
    const roll = seededRandom(context.seed, 'yodlee-day', account.providerId, day)
    const weekday = new Date(`${day}T00:00:00Z`).getUTCDay()
    if (weekday % 6 !== 0) {
      const customer = pick(roll, CUSTOMERS)
      const cents = between(roll, 30_000, 120_000)
      enter(context, account, 'checking', day, {
        cents,
        isCredit: true,
        words: `DEPOT ${customer.toUpperCase()}`,
        merchant: customer,
        category: 'Sales/Services Income',
        status: 'POSTED',
      })
    }
    const [words, merchant, category] = pick(roll, SHOPS)
    const status = day > addDays(today, -PENDING_DAYS) ? 'PENDING' : 'POSTED'
    enter(context, account, 'card', day, { cents: between(roll, 425, 28_900), isCredit: false, words, merchant, category, status })
    account.through = day
  }
  for (const pending of account.transactions.filter((each) => each.status === 'PENDING' && each.day <= addDays(today, -PENDING_DAYS))) {
    pending.id = newId(context)
    pending.status = 'POSTED'
  }
}

/** Fills a login with many booked transactions, spread over its accounts. */
export function writeGiant(context: Context, account: ProviderAccount, nowMs: number): void {
  account.through = toDayText(nowMs)
  for (let n = 0; n < context.giant.transactions; n++) {
    // Most are on the first accounts, so that those have several pages.
    const place = account.accounts[n % Math.min(20, account.accounts.length)]
    if (!place) return
    const words: Words = {
      cents: 100 + (n % 9_973),
      isCredit: n % 3 === 0,
      words: `TRANSFER ${n}`,
      merchant: '',
      category: 'Transfers',
      status: 'POSTED',
    }
    addTransaction(context, account, place, addDays(account.through, -(n % HISTORY_DAYS)), words)
  }
}

export function addTransaction(
  context: Context,
  account: ProviderAccount,
  place: { id: number; container: string },
  day: string,
  words: Words,
): number {
  const id = newId(context)
  account.transactions.push({ id, accountId: place.id, container: place.container, day, ...words })
  return id
}

function enter(context: Context, account: ProviderAccount, role: string, day: string, words: Words): void {
  const place = account.accounts.find((each) => each.role === role)
  if (place) addTransaction(context, account, place, day, words)
}
