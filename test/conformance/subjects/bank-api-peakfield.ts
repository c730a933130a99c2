import { subjectOf } from '../../connectors/bank-api/subject-of.ts'

export const subject = subjectOf('peakfield', {
  rows: 'data',
  accounts: [['/accounts', 'id']],
  transactions: ['/activity', 'id', ['credit', 'debit']],
  category: 'category',
  throttles: [
    ['throttle', 30_000],
    ['throttleWord', 60_000],
  ],
})
