import type { BankAccountKind } from '../../model/records/banking.ts'
import type { TypeTable, WordRow } from '../contract/type-table.ts'
import type { StatementAccount } from './wire.ts'

const BANK_TYPES: Readonly<Record<string, BankAccountKind>> = {
  CHECKING: { type: 'Cash', subType: 'Checking' },
  SAVINGS: { type: 'Cash', subType: 'Savings' },
  MONEYMRKT: { type: 'Cash', subType: 'Mmda' },
  CD: { type: 'Cash', subType: 'Cd' },
  CREDITLINE: { type: 'Loans', subType: 'LineOfCredit' },
}

const LOAN_TYPES: Readonly<Record<string, BankAccountKind>> = {
  AUTO: { type: 'Loans', subType: 'AutoLoan' },
  CONSUMER: { type: 'Loans', subType: 'ConsumerLoan' },
  MORTGAGE: { type: 'Loans', subType: 'Mortgage' },
  COMMERCIAL: { type: 'Loans', subType: 'CommercialLoan' },
  STUDENT: { type: 'Loans', subType: 'StudentLoan' },
  MILITARY: { type: 'Loans', subType: 'MilitaryLoan' },
  SMB: { type: 'Loans', subType: 'BusinessLoan' },
  CONSTR: { type: 'Loans', subType: 'ConstructionLoan' },
  HOMEEQUITY: { type: 'Loans', subType: 'HomeEquityLoan' },
}

/** External cash account types of ISO 20022. */
const CAMT_TYPES: Readonly<Record<string, BankAccountKind>> = {
  CACC: { type: 'Cash', subType: 'Checking' },
  SVGS: { type: 'Cash', subType: 'Savings' },
  LOAN: { type: 'Loans', subType: 'OtherLoan' },
}

const OTHER_CASH: BankAccountKind = { type: 'Cash', subType: 'OtherCash' }
const OTHER_LOAN: BankAccountKind = { type: 'Loans', subType: 'OtherLoan' }

/** Kind for the source's value; an unknown one becomes the group's Other… and is reported. */
export function kindOf(account: StatementAccount, report: (word: string) => void = () => {}): BankAccountKind {
  switch (account.format) {
    case 'ofx':
      return ofxKind(account, report)
    case 'bai2':
      return Object.keys(account.amounts).some((code) => code.startsWith('70'))
        ? { type: 'Loans', subType: 'CommercialLoan' }
        : { type: 'Cash', subType: 'BusinessAccount' }
    case 'camt053':
      return byWord(CAMT_TYPES, account.type, OTHER_CASH, report)
    case 'mt940':
      return OTHER_CASH
  }
}

function ofxKind(account: StatementAccount, report: (word: string) => void): BankAccountKind {
  if (account.statementKind === 'loan') return byWord(LOAN_TYPES, account.type, OTHER_LOAN, report)
  if (account.statementKind !== 'card') return byWord(BANK_TYPES, account.type, OTHER_CASH, report)
  const isBusiness = account.classification === 'BUSINESS' || account.classification === 'CORPORATE'
  return { type: 'CreditCards', subType: isBusiness ? 'BusinessCard' : 'CreditCard' }
}

function byWord(
  kinds: Readonly<Record<string, BankAccountKind>>,
  word: string | null,
  other: BankAccountKind,
  report: (word: string) => void,
): BankAccountKind {
  const known = word !== null && Object.hasOwn(kinds, word) ? kinds[word] : undefined
  if (known === undefined && word !== null) report(word)
  return known ?? other
}

function ofxRows(group: string, statementKind: string, words: readonly string[]): WordRow[] {
  return words.map((type) => ({
    group,
    words: { type },
    means: { wire: { format: 'ofx', statementKind, type, classification: null, amounts: {} } },
  }))
}

export const typeTable: TypeTable = {
  rows: [
    ...ofxRows('OFX, ACCTTYPE of a bank account', 'bank', Object.keys(BANK_TYPES)),
    ...ofxRows('OFX, kind of a loan', 'loan', Object.keys(LOAN_TYPES)),
    ...ofxRows('OFX, cards', 'card', ['any']),
    ...Object.keys(CAMT_TYPES).map((type) => ({
      group: 'CAMT.053, Tp',
      words: { type },
      means: { wire: { format: 'camt053', type, amounts: {} } },
    })),
    { group: 'BAI2', words: { codes: '70…' }, means: { wire: { format: 'bai2', type: null, amounts: { 701: {} } } } },
    { group: 'BAI2', words: { codes: 'others' }, means: { wire: { format: 'bai2', type: null, amounts: {} } } },
    { group: 'MT940', words: { type: 'any' }, means: { wire: { format: 'mt940', type: null, amounts: {} } } },
    ...['ACTIVE', 'AVAIL', 'PEND'].map((status) => ({
      group: 'Status (OFX)',
      words: { status },
      means: { wire: { format: 'ofx', statementKind: 'bank', type: null, amounts: {}, status } },
      isStatus: true,
    })),
  ],
  rules: [
    'A card of a business or corporation is a BusinessCard.',
    'A word that is not in the table falls into the other kind of its group, and is counted.',
  ],
}
