import { readFileSync } from 'node:fs'
import type { UploadSubject } from '../subject.ts'

const fixture = (name: string) => readFileSync(new URL(`../../../src/connectors/bank-files/fixtures/${name}`, import.meta.url))

export const subject: UploadSubject = {
  files: [
    { name: 'chequing.ofx', bytes: fixture('chequing.ofx'), shows: { Accounts: 2, Transactions: 3 }, corrupt: ['-80.15', 'eighty'] },
    { name: 'loan.bai2', bytes: fixture('loan.bai2'), shows: { Accounts: 3, Transactions: 4 } },
  ],
}
