import { subjectOf } from '../../connectors/bank-api/subject-of.ts'

export const subject = subjectOf('harbourline', {
  rows: 'body',
  accounts: [
    ['/holdings/accounts', 'accountId'],
    ['/holdings/loans', 'arrangementId'],
  ],
  transactions: ['/transactions', 'transactionReference', ['transactionAmount']],
  category: 'transactionType',
  throttles: [
    ['throttle', 30_000],
    ['throttleBare', 60_000],
    ['throttleWord', 60_000],
  ],
})
