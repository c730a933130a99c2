import { between, pick, seededRandom } from '../../kit/random.ts'
import type { Login, StoredAccount } from '../state.ts'
import { toGuid } from './accounts.ts'

type Fields = Record<string, unknown>

const DAY_MS = 86_400_000
/** Days for which a bank shows a transaction under a temporary Id, replaced when it is booked. */
const UNSETTLED_DAYS = 2

const WORDS = [
  { text: 'ACHAT PAPETERIE DU PLATEAU', low: -31_900, high: -425 },
  { text: 'DÉPÔT Traiteur Orlo & Finch', low: 35_000, high: 148_000 },
  { text: 'PAIEMENT PRÉAUTORISÉ HYDRO', low: -41_000, high: -14_000 },
  { text: 'INTERAC E-TRANSFER', low: 5_000, high: 60_000 },
  { text: 'FRAIS MENSUELS', low: -2_900, high: -350 },
]

/** Transactions of one account in the last `days` days, newest first, as the API shows them. */
export function movementsOf(login: Login, account: StoredAccount, days: number, nowMs: number): Fields[] {
  const today = Math.floor(nowMs / DAY_MS)
  const rows: Fields[] = login.entered
    .filter(({ accountId, day }) => accountId === account.id && Date.parse(day) >= nowMs - days * DAY_MS)
    .map(({ id, day, cents, text }) => view(id, day, cents, text))
  // Transactions after the last read of the bank are unknown.
  const read = Math.floor(login.readAt / DAY_MS)
  for (let day = Math.min(today, read); day > today - days; day -= 1) rows.push(...movementsOfDay(login, account, day, read))
  return rows
}

function movementsOfDay(login: Login, account: StoredAccount, day: number, read: number): Fields[] {
  const roll = seededRandom('flinks-day', login.institutionId, account.role, day)
  const count = login.giant ? 1 : between(roll, 0, 2)
  return Array.from({ length: count }, (_, index) => {
    const words = pick(roll, WORDS)
    const form = read - day < UNSETTLED_DAYS && roll() < 0.5 ? 'unsettled' : 'settled'
    const id = toGuid('flinks-movement', account.id, day, index, form)
    return view(id, new Date(day * DAY_MS).toISOString().slice(0, 10), between(roll, words.low, words.high), words.text)
  })
}

function view(id: string, day: string, cents: number, text: string): Fields {
  const amount = Math.abs(cents) / 100
  return {
    Id: id,
    Date: day.replaceAll('-', '/'),
    Code: null,
    Description: text,
    Debit: cents < 0 ? amount : null,
    Credit: cents < 0 ? null : amount,
    Balance: 1_000 + (cents % 10_000) / 100,
  }
}
