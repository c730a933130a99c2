import type { Mapping } from '../../../src/connectors/contract/mapping.ts'
import type { BankAccount } from '../../../src/model/records/bank-account.ts'

/** Default fields for a chequing account in Canadian dollars; a test's source overrides some of them. */
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
