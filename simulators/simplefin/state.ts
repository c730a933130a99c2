export interface Account {
  org: { domain?: string; name?: string; 'sfin-url': string }
  id: string
  name: string
  currency: string
  balance: string
  'available-balance'?: string
  /** Transactions per year, spread over the days before now. */
  movements: number
  /** Pending transactions by id, with the ids they were booked under. */
  pending: Record<string, { amount: string; description: string; bookedAs: string | null }>
  /** Transactions that the bank removed. */
  dropped: string[]
}

export interface State {
  users: Record<string, Account[]>
  /** Claim codes; each can be used once. */
  tokens: Record<string, { user: string; isClaimed: boolean }>
  /** Access by user name of the access URL. */
  accesses: Record<string, { password: string; user: string; isRevoked: boolean }>
}

const CAISSE = { domain: 'caisse-du-lac.example', name: 'Caisse du Lac', 'sfin-url': 'https://bridge.simplefin.example/simplefin' }
const FIRST = { domain: 'firstharbor.example', name: 'First Harbor Bank', 'sfin-url': 'https://bridge.simplefin.example/simplefin' }
const AIR = { domain: 'boreal-air.example', 'sfin-url': 'https://bridge.simplefin.example/simplefin' }

function account(org: Account['org'], id: string, name: string, balance: string, more: Partial<Account> = {}): Account {
  return { org, id, name, currency: 'CAD', balance, movements: 0, pending: {}, dropped: [], ...more }
}

/**
 * A café with two banks and loyalty points, a shop in Maine, and a large login. The same id at two banks means two
 * accounts.
 */
export function createState(giantMovements: number): State {
  const cafe = [
    account(CAISSE, 'ACT-1', 'Compte chèques entreprise (4410)', '18402.55', {
      'available-balance': '17902.55',
      movements: 260,
      pending: { 'PND-1': { amount: '-61.20', description: 'TORRÉFACTEUR DU LAC', bookedAs: null } },
    }),
    account(CAISSE, 'ACT-2', 'Visa Affaires 7712', '-2310.45', { movements: 120 }),
    account(CAISSE, 'ACT-3', 'Marge de crédit 815-30412-0098877', '-12000.00', { movements: 12 }),
    account(CAISSE, 'ACT-4', 'Prêt hypothécaire commercial', '-248000.10', { movements: 12 }),
    account(CAISSE, 'ACT-5', 'CPG 1 an', '10000.00'),
    account(CAISSE, 'ACT-6', 'REER collectif', '4200.00'),
    account(FIRST, 'ACT-1', 'Business Checking x0091', '-35.19', { currency: 'USD', movements: 40 }),
    account(FIRST, 'ACT-9', 'Zeta', '-410.00', { currency: 'USD' }),
    account(FIRST, 'ACT-10', 'Petty', '80.00', { currency: 'usd' }),
    account(AIR, 'ACT-20', 'Boréal Plus', '48210', { currency: 'https://www.boreal-air.example/points' }),
  ]
  const shop = [
    account(FIRST, 'ACT-30', 'Everyday Checking (2204)', '5120.07', { currency: 'USD', movements: 90 }),
    account(FIRST, 'ACT-31', 'Small Business Loan', '-41000.00', { currency: 'USD', movements: 12 }),
  ]
  const giant = [account(FIRST, 'ACT-90', 'Operating Account', '1.00', { currency: 'USD', movements: giantMovements })]
  return { users: { cafe, shop, giant, newcomer: [] }, tokens: {}, accesses: {} }
}
