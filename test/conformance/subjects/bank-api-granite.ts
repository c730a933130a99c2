import { subjectOf } from '../../connectors/bank-api/subject-of.ts'

export const subject = subjectOf('granite', {
  rows: 'data',
  accounts: [['/positions', '_Id']],
  transactions: ['/trns', 'trnId', ['trnAmt']],
  category: 'trnCode',
  throttles: [
    ['throttle', 30_000],
    ['throttleBare', 60_000],
  ],
})
