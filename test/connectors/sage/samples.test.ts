import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { sageConnector } from '../../../src/connectors/sage/client.ts'
import { CURRENCY, LIST, readAccounts, readEnvelope } from '../../../src/connectors/sage/read.ts'
import { mapSamples, pullNamed, sessionOf } from '../../harness/connector-calls.ts'
import { connect } from '../../harness/redirect.ts'
import { openHarness } from './harness.ts'

const SAMPLE = new URL('../../../../shared/samples/accounting/sage/ledger_accounts.one.json', import.meta.url)

describe.skipIf(!existsSync(SAMPLE))('a recorded answer of Sage (skipped without ../shared/samples)', () => {
  test('the recorded account is read, matches the wire schema and is mapped', () => {
    const items = [...readAccounts({ [LIST]: readFileSync(SAMPLE), [CURRENCY]: Buffer.from('{"id":"GBP"}') })]
    expect(mapSamples(sageConnector, items)).toEqual([
      {
        origId: 'd959c74d180811e691e20a5d7cf84c3e',
        number: '4000',
        name: 'Sales Type A',
        currency: 'GBP',
        description: '',
        classApp: '',
        classSystem: 'INCOME',
        typeApp: 'SALES',
        typeSystem: 'INCOME',
        subTypeApp: '',
        subTypeSystem: '',
        statusApp: 'included_in_chart=true',
        statusSystem: 'ACTIVE',
      },
    ])
  })

  test('the simulator’s list envelope is that of the recorded answer', async () => {
    const harness = await openHarness()
    const page = await pullNamed(sageConnector, 'accounts').fetch(sessionOf(harness, await connect(harness)), null)
    await harness.close()
    const keys = (bytes: Uint8Array | undefined) => Object.keys(JSON.parse(new TextDecoder().decode(bytes))).sort()
    expect(keys(page.answers[LIST])).toEqual(keys(readFileSync(SAMPLE)))
  })

  test('the recorded envelope is the last page of its list', () => {
    expect(readEnvelope(JSON.parse(readFileSync(SAMPLE, 'utf8')))).toMatchObject({ total: 1, page: 1, hasNext: false })
  })
})
