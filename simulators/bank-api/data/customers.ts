/** A customer of one of the three banks. */
export interface Customer {
  id: string
  name: string
  postalCode: string
  registration: string
  /** Passcode or access code. */
  code: string
  accounts: readonly Account[]
}

/** An account before it is converted to a bank's format. Amounts are in minor units; amounts owed are positive. */
export interface Account {
  id: string
  number: string
  name: string
  kind: 'chequing' | 'savings' | 'term' | 'card' | 'loan' | 'line' | 'odd'
  status: 'open' | 'dormant' | 'closing' | 'closed' | 'odd'
  currency: string
  balance: number
  /** Hundredths of a percent. */
  rate?: number
  limit?: number
  dueOn?: readonly [year: number, month: number, day: number]
  due?: number
  maturesOn?: readonly [year: number, month: number, day: number]
  original?: number
}

const GIANT_ACCOUNTS = 120

export const CUSTOMERS: readonly Customer[] = [
  {
    id: '100245',
    name: 'Quincaillerie Côté & Fils inc.',
    postalCode: 'G1R 2B5',
    registration: '1147-220-981',
    code: 'érable 42',
    accounts: [
      account('HB000001', '00417700224417', 'Compte-chèques — opérations', 'chequing', 'open', 'CAD', 1_824_017),
      account('HB000002', '00417700228820', 'US Dollar account', 'chequing', 'open', 'USD', -14_230),
      account('HB000003', '00417700221101', 'Épargne TPS/TVQ', 'savings', 'open', 'CAD', 5_200_000, { rate: 215 }),
      account('HB000004', '00417700229090', 'Dépôt à terme 18 mois', 'term', 'open', 'CAD', 2_500_000, {
        rate: 475,
        maturesOn: [2027, 2, 28],
      }),
      account('HB000005', '5412000000005512', 'Carte Affaires', 'card', 'open', 'CAD', 213_099, { limit: 1_500_000 }),
      account('HB000006', '00417700220006', 'Yen account', 'chequing', 'open', 'JPY', 1_250_000),
      account('HB000007', '00417700221144', 'Ancien compte', 'savings', 'dormant', 'CAD', 1_205),
      account('HB000008', '00417700221145', 'Compte à fermer', 'chequing', 'closing', 'CAD', 0),
      account('HB000009', '00417700221146', 'Compte fermé', 'savings', 'closed', 'CAD', 0),
      account('HB000010', '00417700222210', 'Fiducie loyers', 'odd', 'odd', 'CAD', 30_177),
      account('HL000001', '00417700230093', 'Prêt équipement', 'loan', 'open', 'CAD', 4_821_055, {
        rate: 725,
        original: 8_000_000,
        dueOn: [2026, 12, 1],
        due: 114_020,
        maturesOn: [2030, 12, 1],
      }),
      account('HL000002', '00417700237781', 'Marge de crédit', 'line', 'open', 'CAD', 1_250_000, {
        rate: 950,
        limit: 5_000_000,
        dueOn: [2026, 12, 5],
        due: 31_000,
      }),
      account('HL000003', '00417700230071', 'Prêt camion', 'loan', 'closed', 'CAD', 0, { original: 3_000_000 }),
    ],
  },
  {
    id: '100377',
    name: 'Lakeview Dental P.C.',
    postalCode: '55401-1203',
    registration: '41-2200981',
    code: 'cedar 77',
    accounts: [
      account('HB000101', '00417700559001', 'Practice checking', 'chequing', 'open', 'USD', 9_120_455),
      account('HL000101', '00417700559003', 'Chair loan', 'loan', 'open', 'USD', 2_104_000, {
        rate: 588,
        original: 3_500_000,
        dueOn: [2026, 11, 30],
        due: 71_100,
      }),
    ],
  },
  {
    id: '900000',
    name: 'Load Test Holdings',
    postalCode: 'H2X 1Y4',
    registration: '0000-000-000',
    code: 'load 00',
    accounts: Array.from({ length: GIANT_ACCOUNTS }, (_, index) =>
      account(
        `HB9${String(index).padStart(5, '0')}`,
        `0041770${String(index).padStart(7, '0')}`,
        `Sub-account ${index + 1}`,
        'chequing',
        'open',
        'CAD',
        120_000,
      ),
    ),
  },
  { id: '100999', name: 'Nothing Yet Ltd.', postalCode: 'T2P 1J9', registration: '2020-111-222', code: 'empty 00', accounts: [] },
]

function account(
  id: string,
  number: string,
  name: string,
  kind: Account['kind'],
  status: Account['status'],
  currency: string,
  balance: number,
  more: Partial<Account> = {},
): Account {
  return { id, number, name, kind, status, currency, balance, ...more }
}

export function isLoan({ kind }: Account): boolean {
  return kind === 'loan' || kind === 'line'
}

/** Decimal text with the number of digits of the currency. */
export function major(minor: number, currency: string): string {
  if (currency === 'JPY') return String(minor)
  const sign = minor < 0 ? '-' : ''
  const cents = String(Math.abs(minor)).padStart(3, '0')
  return `${sign}${cents.slice(0, -2)}.${cents.slice(-2)}`
}

export function day(parts: readonly [number, number, number]): string {
  return parts.map((part) => String(part).padStart(2, '0')).join('-')
}
