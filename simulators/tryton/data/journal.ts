import { hashNumber } from '../../kit/random.ts'

/** Amount in cents; negative for a credit. */
export interface Posting {
  code: string
  cents: number
  /** Cents of the account's second currency, same sign. */
  secondCents?: number
}

export interface Entry {
  year: number
  month: number
  day: number
  description: string
  /** Journal id: 1 revenue, 2 expense, 3 cash, 4 general. */
  journal: number
  party: number | null
  origin: string | null
  isDraft: boolean
  /** True if the server created it to cancel an entry: the sides stay, amounts are negative. */
  isCancellation: boolean
  postings: Posting[]
}

interface Routine {
  day: number
  description: string
  journal: number
  party?: number
  /** True if its document is an invoice. */
  isInvoiced?: boolean
  debit: string
  credit: string
  cents: number
  /** Account of the GST that is added. */
  gst?: string
}

const ROUTINES: readonly Routine[] = [
  { day: 1, description: 'Rent', journal: 2, party: 5, isInvoiced: true, debit: '6100', credit: '2000', cents: 640_000, gst: '1320' },
  { day: 2, description: 'Rent paid', journal: 3, party: 5, debit: '2000', credit: '1010', cents: 672_000 },
  { day: 4, description: 'Hygiene, cards', journal: 3, debit: '1050', credit: '4000', cents: 1_184_050 },
  { day: 6, description: 'Crowns and fillings', journal: 1, party: 8, isInvoiced: true, debit: '1100', credit: '4010', cents: 912_575 },
  { day: 8, description: 'Claims sent', journal: 1, party: 2, isInvoiced: true, debit: '1110', credit: '4020', cents: 1_530_000 },
  {
    day: 10,
    description: 'Lab work – Zahntechnik Köln',
    journal: 2,
    party: 3,
    isInvoiced: true,
    debit: '5000',
    credit: '2000',
    cents: 284_310,
  },
  {
    day: 12,
    description: 'Gants et anesthésiques',
    journal: 2,
    party: 4,
    isInvoiced: true,
    debit: '5010',
    credit: '2000',
    cents: 96_425,
    gst: '1320',
  },
  { day: 14, description: 'Blue Cross remittance', journal: 3, party: 2, debit: '1010', credit: '1110', cents: 1_290_400 },
  { day: 15, description: 'Salaries – hygienists', journal: 4, debit: '6000', credit: '1011', cents: 1_105_000 },
  { day: 18, description: 'Dentrix', journal: 2, debit: '6120', credit: '2100', cents: 41_900, gst: '1320' },
  { day: 21, description: 'Café Éclair – sublease', journal: 3, party: 6, debit: '1010', credit: '4510', cents: 120_000, gst: '2200' },
  { day: 27, description: 'Bank charges', journal: 3, debit: '6150', credit: '1010', cents: 3_845 },
  { day: 28, description: 'Amortization', journal: 4, debit: '6200', credit: '1590', cents: 210_000 },
]
const MONTHS = [1, 2, 3, 4, 5, 6]

/** Opening balances of 2026. */
const OPENING: Posting[] = [
  { code: '1010', cents: 4_812_033 },
  { code: '1011', cents: 9_000_000 },
  { code: '1030', cents: 1_370_000, secondCents: 1_000_000 },
  { code: '1510', cents: 8_450_000 },
  { code: '1710', cents: 21_000_000 },
  { code: '2250', cents: 250_000 },
  { code: '2400', cents: -14_300_000 },
  { code: '3000', cents: -10_000 },
  { code: '3900', cents: -30_572_033 },
]

/** In order of id: the opening, thirteen each month, one in US dollars, one with its cancellation, and a draft. */
export function listEntries(): Entry[] {
  const rest = { year: 2026, party: null, origin: null, isDraft: false, isCancellation: false }
  const mistake = [
    { code: '4090', cents: 7_500 },
    { code: '1100', cents: -7_500 },
  ]
  const dollars = [
    { code: '5010', cents: 68_500 },
    { code: '1030', cents: -68_500, secondCents: -50_000 },
  ]
  return [
    { ...rest, month: 1, day: 1, description: 'Opening balances', journal: 4, postings: OPENING },
    ...MONTHS.flatMap((month) => ROUTINES.map((routine, index) => toEntry(routine, month, month * 100 + index))),
    { ...rest, month: 6, day: 29, description: 'Implant kit, Dallas', journal: 3, party: 7, postings: dollars },
    { ...rest, month: 6, day: 29, description: 'Write-off, wrong patient', journal: 4, postings: mistake },
    { ...rest, month: 6, day: 30, description: 'Write-off, wrong patient', journal: 4, isCancellation: true, postings: mistake },
    { ...rest, month: 6, day: 30, description: 'To be checked', journal: 4, isDraft: true, postings: mistake },
  ]
}

function toEntry(
  { day, description, journal, party, isInvoiced, debit, credit, cents, gst }: Routine,
  month: number,
  invoice: number,
): Entry {
  const net = isInvoiced || gst ? cents : cents + (hashNumber('tryton', month, description) % 5_000)
  const tax = gst === undefined ? 0 : Math.round(net * 0.05)
  const isSold = credit.startsWith('4')
  const taxPosting = gst === undefined ? [] : [{ code: gst, cents: isSold ? -tax : tax }]
  return {
    ...{ year: 2026, month, day, description, journal, party: party ?? null },
    origin: isInvoiced ? `account.invoice,${invoice}` : null,
    isDraft: false,
    isCancellation: false,
    postings: [{ code: debit, cents: isSold ? net + tax : net }, ...taxPosting, { code: credit, cents: isSold ? -net : -net - tax }],
  }
}
