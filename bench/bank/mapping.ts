import { Type } from 'typebox'
import { mapping } from '../../src/connectors/contract/mapping.ts'
import type { BankAccount } from '../../src/model/records/bank-account.ts'
import { toDecimal } from '../../src/model/values/decimal.ts'
import type { WireAccount } from './accounts.ts'

const text = Type.String()

export const wireAccount = Type.Object({
  uid: Type.String({ minLength: 1 }),
  ...{ bank: text, nickname: text, number: text, open: Type.Boolean(), holder: text, kind: text, rate: text, available: text, dueAt: text },
  maturity: Type.Object({ amount: text, at: text }),
  ...{ minimumDue: text, creditLine: text, originalLoan: text, lender: text, due: text, principal: text },
  ...{ currency: Type.String({ minLength: 3, maxLength: 3 }), balance: text, balanceAt: text, changedAt: text },
})

export const toBankAccount = mapping<WireAccount, BankAccount>(1, {
  origId: (a) => a.uid,
  providerName: (a) => a.bank,
  accountName: (a) => a.nickname,
  accountNumber: (a) => `••••${a.number.slice(-4)}`,
  accountStatusSystem: (a) => (a.open ? 'ACTIVE' : 'CLOSED'),
  userAccountClassification: (a) => (a.holder === 'company' ? 'BUSINESS' : 'PERSONAL'),
  kind: (a) => (a.kind === 'loan' ? { type: 'Loans', subType: 'LineOfCredit' } : { type: 'Cash', subType: 'Checking' }),
  interestRate: (a) => toDecimal(a.rate),
  availableCredit: (a) => toDecimal(a.available),
  dueDate: (a) => a.dueAt,
  maturityAmount: (a) => toDecimal(a.maturity.amount),
  maturityDate: (a) => a.maturity.at,
  minimumAmountDue: (a) => toDecimal(a.minimumDue),
  totalCreditLine: (a) => toDecimal(a.creditLine),
  originalLoanAmount: (a) => toDecimal(a.originalLoan),
  lender: (a) => a.lender,
  amountDue: (a) => toDecimal(a.due),
  principalBalance: (a) => toDecimal(a.principal),
  currency: (a) => a.currency,
  actualBalance: (a) => toDecimal(a.balance),
  actualBalanceDate: (a) => a.balanceAt,
  sourceUpdatedDate: (a) => a.changedAt,
})
