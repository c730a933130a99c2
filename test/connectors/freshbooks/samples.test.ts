import { existsSync, readFileSync } from 'node:fs'
import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { freshbooksConnector } from '../../../src/connectors/freshbooks/client.ts'
import { toSourceError } from '../../../src/connectors/freshbooks/errors.ts'
import { ANSWER, readAccounts } from '../../../src/connectors/freshbooks/read.ts'
import { mapSamples } from '../../harness/connector-calls.ts'
import { connect } from '../../harness/redirect.ts'
import { BUILDER, openHarness } from './harness.ts'

const SAMPLES = new URL('../../../../shared/samples/accounting/freshbooks/', import.meta.url)
const sample = (name: string) => readFileSync(new URL(name, SAMPLES))

/** FreshBooks publishes no machine-readable document, so the simulator is checked against these recorded answers. */
describe.skipIf(!existsSync(SAMPLES))('recorded answers of FreshBooks (skipped without ../shared/samples)', () => {
  test('every recorded account is read, matches the wire schema and is mapped', () => {
    const records = mapSamples(freshbooksConnector, [...readAccounts({ [ANSWER]: sample('ledger_accounts.list.json') })])
    expect(records).toHaveLength(2)
    expect(records[1]).toEqual({
      origId: 'a_uuid2',
      number: '1000-1',
      name: 'Petty Cash',
      currency: '',
      description: 'Moar described',
      classApp: 'asset',
      classSystem: 'ASSET',
      typeApp: 'Cash & Bank',
      typeSystem: 'BANK',
      subTypeApp: 'Petty Cash',
      subTypeSystem: 'CASH',
      statusApp: 'active',
      statusSystem: 'ACTIVE',
    })
  })

  test('the simulator’s accounts have every property of the recorded ones, with the same types', async () => {
    const harness = await openHarness()
    const grant = await connect(harness)
    const { accessToken } = { accessToken: '', ...Object(grant.credentials.secret) }
    const answer = await request(`${harness.url}/accounting/businesses/${BUILDER}/ledger_accounts/accounts`, {
      headers: { authorization: `Bearer ${accessToken}` },
    })
    const simulated: unknown = await answer.body.json()
    await harness.close()
    const kinds = (list: unknown) =>
      Object(list)
        .data.slice(0, 2)
        .map((row: object) => Object.entries(row).map(([key, value]) => [key, value === null ? 'null' : typeof value]))
    const [cash, pettyCash] = kinds(simulated)
    const [recordedCash, recordedPettyCash] = kinds(JSON.parse(sample('ledger_accounts.list.json').toString()))
    expect(cash).toEqual(expect.arrayContaining(recordedCash))
    expect(pettyCash).toEqual(expect.arrayContaining(recordedPettyCash))
  })

  test('a recorded error of the business routes is bad data and reveals only its status', () => {
    const error = toSourceError({ status: 400, headers: {}, body: sample('error.400.json') }, 'the list', new Date(0))
    expect(error).toMatchObject({ kind: 'badData', message: 'FreshBooks answered 400 to the list' })
  })
})
