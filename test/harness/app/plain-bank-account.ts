import type { Mapping } from '../../../src/connectors/contract/mapping.ts'
import type { BankAccount } from '../../../src/model/records/bank-account.ts'

/** Fields of a mapping for a chequing account in Canadian dollars of which the source says no more; a test's source puts its own beside. */
export const PLAIN_BANK_ACCOUNT: Omit<Mapping<unknown, BankAccount>, 'origId' | 'accountName'> = {
  providerName: () => 'Test Bank',
  accountNumber: () => '••••1234',
  accountStatusSystem: () => 'ACTIVE',
  userAccountClassification: () => 'BUSINESS',
  kind: () => ({ type: 'Cash', subType: 'Checking' }),
  interestRate: () => null,
  availableCredit: () => null,
  dueDate: () => null,
  maturityAmount: () => null,
  maturityDate: () => null,
  minimumAmountDue: () => null,
  totalCreditLine: () => null,
  originalLoanAmount: () => null,
  lender: () => null,
  amountDue: () => null,
  principalBalance: () => null,
  currency: () => 'CAD',
  actualBalance: () => null,
  actualBalanceDate: () => null,
  sourceUpdatedDate: () => null,
}
