import type { Client, State } from '../state.ts'
import { movementsOfLoan, openLoan } from './loans.ts'
import { openSavings } from './savings.ts'

const ENTITY = { id: 2, code: 'legalFormType.entity', value: 'ENTITY' }
const PERSON = { id: 1, code: 'legalFormType.person', value: 'PERSON' }
const BAKERY = 1
const GRAIN = 2
const SOLE = 3
const NEWCOMER = 4
const GIANT = 9

/**
 * A lender in Québec with clients in two countries: one account of each kind, and closed, draft, overpaid and overdue
 * ones.
 */
export function createState(giantMovements: number): State {
  const office = 'Caisse solidaire des Bois-Francs'
  const clients: Client[] = [
    {
      id: BAKERY,
      accountNo: '000000001',
      displayName: 'Boulangerie Saint-Élie inc.',
      officeName: office,
      activationDate: [2022, 3, 14],
      legalForm: ENTITY,
    },
    {
      id: GRAIN,
      accountNo: '000000002',
      displayName: 'Prairie Grain Co-operative',
      officeName: 'Minot Branch',
      activationDate: [2023, 9, 1],
      legalForm: ENTITY,
    },
    {
      id: SOLE,
      accountNo: '000000003',
      displayName: 'Geneviève Lévesque',
      officeName: office,
      activationDate: [2024, 1, 8],
      legalForm: PERSON,
    },
    { id: NEWCOMER, accountNo: '000000004', displayName: 'Atelier Neuf', officeName: office, activationDate: [2026, 6, 29] },
    {
      id: GIANT,
      accountNo: '000000009',
      displayName: 'Giant Holdings',
      officeName: office,
      activationDate: [2020, 1, 1],
      legalForm: ENTITY,
    },
  ]
  const loans = [
    openLoan({
      id: 1,
      clientId: BAKERY,
      product: 'Prêt d’équipement',
      principal: 48_000,
      rate: 7.25,
      months: 24,
      start: [2025, 9, 15],
      paid: 9,
      currency: 'CAD',
    }),
    openLoan({
      id: 2,
      clientId: BAKERY,
      product: 'Prêt de démarrage',
      principal: 10_000,
      rate: 24,
      months: 12,
      start: [2025, 10, 1],
      paid: 5,
      currency: 'CAD',
    }),
    openLoan({
      id: 3,
      clientId: BAKERY,
      product: 'Prêt saisonnier',
      principal: 6_000,
      rate: 5.5,
      months: 6,
      start: [2024, 2, 1],
      paid: 6,
      currency: 'CAD',
      status: [600, 'closed.obligations.met'],
    }),
    openLoan({
      id: 4,
      clientId: BAKERY,
      product: 'Marge saisonnière',
      principal: 3_000,
      rate: 6,
      months: 6,
      start: [2025, 12, 1],
      paid: 6,
      currency: 'CAD',
      status: [700, 'overpaid'],
      overpaid: 41.17,
    }),
    openLoan({
      id: 5,
      clientId: BAKERY,
      product: 'Prêt d’équipement',
      principal: 22_000,
      rate: 7.5,
      months: 36,
      start: null,
      paid: 0,
      currency: 'CAD',
      status: [100, 'submitted.and.pending.approval'],
    }),
    openLoan({
      id: 6,
      clientId: GRAIN,
      product: 'Combine Loan',
      principal: 310_000,
      rate: 6.125,
      months: 60,
      start: [2024, 11, 30],
      paid: 19,
      currency: 'USD',
    }),
    openLoan({
      id: 7,
      clientId: SOLE,
      product: 'Prêt personnel',
      principal: 5_000,
      rate: 11.9,
      months: 18,
      start: [2026, 2, 28],
      paid: 4,
      currency: 'CAD',
      status: [304, 'transfer.on.hold'],
    }),
  ]
  const savings = [
    openSavings({
      id: 1,
      clientId: BAKERY,
      kind: 'savings',
      product: 'Compte d’exploitation',
      rate: 0.05,
      currency: 'CAD',
      movements: 30,
      overdraft: 5_000,
    }),
    openSavings({ id: 2, clientId: BAKERY, kind: 'savings', product: 'Épargne stable', rate: 1.85, currency: 'CAD', movements: 14 }),
    openSavings({
      id: 3,
      clientId: BAKERY,
      kind: 'fixed',
      product: 'Dépôt à terme 12 mois',
      rate: 3.4,
      currency: 'CAD',
      movements: 2,
      maturity: [2026, 12, 20],
    }),
    openSavings({
      id: 4,
      clientId: BAKERY,
      kind: 'recurring',
      product: 'Épargne programmée',
      rate: 2.1,
      currency: 'CAD',
      movements: 7,
      maturity: [2027, 1, 1],
    }),
    openSavings({ id: 5, clientId: BAKERY, kind: 'savings', product: 'Compte en devises', rate: 0, currency: 'KWD', movements: 6 }),
    openSavings({
      id: 6,
      clientId: BAKERY,
      kind: 'savings',
      product: 'Ancien compte',
      rate: 0.1,
      currency: 'CAD',
      movements: 4,
      status: [600, 'closed'],
    }),
    openSavings({
      id: 7,
      clientId: BAKERY,
      kind: 'savings',
      product: 'Compte oublié',
      rate: 0.1,
      currency: 'CAD',
      movements: 3,
      subStatus: 'dormant',
    }),
    openSavings({ id: 8, clientId: GRAIN, kind: 'savings', product: 'Operating Account', rate: 0.25, currency: 'USD', movements: 45 }),
    openSavings({
      id: 9,
      clientId: GRAIN,
      kind: 'savings',
      product: 'Escrow',
      rate: 0.25,
      currency: 'USD',
      movements: 0,
      status: [100, 'submitted.and.pending.approval'],
    }),
    openSavings({
      id: 10,
      clientId: GRAIN,
      kind: 'fixed',
      product: '18-Month Certificate',
      rate: 4.15,
      currency: 'USD',
      movements: 1,
      maturity: [2026, 3, 31],
      status: [800, 'matured'],
    }),
    openSavings({ id: 11, clientId: SOLE, kind: 'savings', product: 'Compte courant', rate: 0.01, currency: 'CAD', movements: 12 }),
    openSavings({
      id: 90,
      clientId: GIANT,
      kind: 'savings',
      product: 'Sweep Account',
      rate: 0.5,
      currency: 'USD',
      movements: giantMovements,
    }),
    openSavings({ id: 91, clientId: GIANT, kind: 'savings', product: 'Payroll Account', rate: 0, currency: 'USD', movements: 40 }),
  ]
  return { clients, loans: loans.map((loan) => ({ ...loan, movements: movementsOfLoan(loan) })), savings, revoked: [], tokens: {} }
}
