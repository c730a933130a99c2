import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fdxBanks } from '../../../src/connectors/fdx/index.ts'
import { mapSamples } from '../../harness/connector-calls.ts'

const folder = resolve(import.meta.dirname, '../../../../shared/samples/banking/akoya')

/** Answers of Akoya's own sandbox. */
describe.skipIf(!existsSync(folder))('Akoya’s samples (skipped only where ../shared is absent)', () => {
  const read = (name: string) => readFileSync(resolve(folder, name))

  it('are read completely: balances take precedence over the list of accounts', async () => {
    const connector = await fdxBanks.find(({ key }) => key === 'akoya')?.load()
    const pull = connector?.pulls.find(({ name }) => name === 'accounts')
    if (!connector || !pull) throw new Error('no Akoya')
    const about = new TextEncoder().encode(JSON.stringify({ provider: 'Mikomo', isFraction: false, currency: null }))
    const items = [...pull.read({ list: read('akoya_accountinformation_0.json'), more: read('akoya_balances_0.json'), about })]
    const rows = mapSamples(connector, items).map((record) => [
      Object(record.kind).subType,
      record.accountName,
      record.accountNumber,
      record.interestRate,
      record.actualBalance,
      record.userAccountClassification,
    ])
    expect(rows).toEqual([
      ['EducationSavings', '529 for Kid', '', null, '52672.49', null],
      ['Brokerage', 'Self-Directed', '••••7054', null, null, null],
      ['Checking', 'Nickname Checking Plus 0071', '••••0071', '0.0125', '106717.06', 'PERSONAL'],
      ['Checking', 'Virtual Wallet Student Reserve', '••••0134', null, '0', null],
      ['Cd', 'Certificate of Deposit - 3691', '', '0.75', '6808.29', 'PERSONAL'],
      ['Savings', 'Savings - 8537', '', '0.01', '20608.9', 'PERSONAL'],
    ])
  })
})
