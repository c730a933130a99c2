import type { BankAccountKind } from '../../model/banking.ts'
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

/** The kind by the source's word; an unknown word gives the group's Other… and is reported. */
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
