import { type Holder, keyOf, openDeposit, openLoan, type Row, type State, scheduleOf } from '../state.ts'
import { depositMovements, loanMovements } from './movements.ts'

const ATELIER: Holder = { encodedKey: keyOf(1, 42), id: 'MTL-0042', firstName: 'Atelier mécanique', lastName: 'Côté inc.', state: 'ACTIVE' }
const OUTFITTERS: Holder = {
  encodedKey: keyOf(1, 7),
  id: 'GRP-7',
  groupName: 'Rocky Ridge Outfitters LLC',
  emailAddress: 'office@rockyridge.example',
}
const NEWCOMER: Holder = { encodedKey: keyOf(1, 50), id: 'MTL-0050', firstName: 'Nouveau', lastName: 'Client', state: 'PENDING_APPROVAL' }
const GIANT: Holder = { encodedKey: keyOf(1, 99), id: 'GIANT', firstName: 'Giant', lastName: 'Holdings', state: 'ACTIVE' }

/**
 * One account of each kind; closed, locked, dormant and overdrawn ones; yen; a loan in arrears, one with monthly
 * instalments, a revolving one.
 */
export function createState(giantDeposits: number): State {
  const deposits = [
    openDeposit(ATELIER, { n: 1, name: 'Compte d’exploitation', type: 'CURRENT_ACCOUNT', balance: -812.4, rate: 0, overdraft: 10_000 }),
    openDeposit(ATELIER, { n: 2, name: 'Épargne à intérêt élevé', type: 'REGULAR_SAVINGS', balance: 18_250.75, rate: 2.35 }),
    openDeposit(ATELIER, { n: 3, name: 'Dépôt à terme 1 an', type: 'FIXED_DEPOSIT', balance: 25_000, rate: 3.6, maturity: '2026-12-20' }),
    openDeposit(ATELIER, { n: 4, name: 'Plan d’épargne', type: 'SAVINGS_PLAN', balance: 4_400, rate: 1.9, maturity: '2028-02-29' }),
    openDeposit(ATELIER, { n: 5, name: 'Compte d’investisseur', type: 'INVESTOR_ACCOUNT', balance: 1_000 }),
    openDeposit(ATELIER, { n: 6, name: 'Compte en yens', type: 'CURRENT_ACCOUNT', balance: 310_000, currency: 'JPY' }),
    openDeposit(ATELIER, { n: 7, name: 'Ancien compte', type: 'CURRENT_ACCOUNT', balance: 0, state: 'CLOSED' }),
    openDeposit(ATELIER, { n: 8, name: 'Compte dormant', type: 'REGULAR_SAVINGS', balance: 12.01, state: 'DORMANT' }),
    openDeposit(ATELIER, { n: 9, name: 'Compte bloqué', type: 'REGULAR_SAVINGS', balance: 500, state: 'LOCKED' }),
  ]
  const loans = [
    openLoan(ATELIER, { n: 1, name: 'Prêt d’équipement', amount: 24_000, principal: 7_000, due: 0, rate: 6.9 }),
    openLoan(ATELIER, {
      n: 2,
      name: 'Prêt de camion',
      amount: 24_000,
      principal: 9_000,
      due: 1_000,
      rate: 0.75,
      every: 'EVERY_MONTH',
      state: 'ACTIVE_IN_ARREARS',
    }),
    openLoan(ATELIER, { n: 3, name: 'Marge de crédit', amount: 50_000, principal: 12_345.67, due: 370.37, rate: 8.2, isRevolving: true }),
    openLoan(ATELIER, { n: 4, name: 'Prêt remboursé', amount: 5_000, principal: 0, due: 0, rate: 5, state: 'CLOSED', subState: 'REPAID' }),
    openLoan(ATELIER, { n: 5, name: 'Demande de prêt', amount: 9_000, principal: 0, due: 0, rate: 7, state: 'PENDING_APPROVAL' }),
  ]
  const group = [openDeposit(OUTFITTERS, { n: 20, name: 'Operating Account', type: 'CURRENT_ACCOUNT', balance: 9_731.08, currency: 'USD' })]
  const groupLoans = [openLoan(OUTFITTERS, { n: 20, name: 'Inventory Loan', amount: 24_000, principal: 14_000, due: 0, rate: 7.1 })]
  const giant = Array.from({ length: giantDeposits }, (_, index) =>
    openDeposit(GIANT, { n: 1000 + index, name: `Sub-account ${index + 1}`, type: 'CURRENT_ACCOUNT', balance: index, currency: 'USD' }),
  )
  const movements: Record<string, Row[]> = {}
  for (const [index, deposit] of [...deposits, ...group].entries())
    movements[deposit.encodedKey] = depositMovements(deposit, index, index === 0 ? 80 : 12)
  const [first] = giant
  if (first) movements[first.encodedKey] = depositMovements(first, 60, 1200)
  const schedules: Record<string, Row[]> = {}
  for (const [index, loan] of [...loans.slice(0, 2), ...groupLoans].entries()) {
    const paid = [17, 15, 10][index] ?? 0
    schedules[loan.encodedKey] = scheduleOf(loan, paid)
    movements[loan.encodedKey] = loanMovements(loan, index, paid)
  }
  return {
    clients: [ATELIER, NEWCOMER, GIANT],
    groups: [OUTFITTERS],
    deposits: { [ATELIER.encodedKey]: deposits, [OUTFITTERS.encodedKey]: group, [GIANT.encodedKey]: giant },
    loans: { [ATELIER.encodedKey]: loans, [OUTFITTERS.encodedKey]: groupLoans },
    schedules,
    movements,
    revoked: [],
  }
}
