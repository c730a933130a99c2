import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Check } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { stripeConnector } from '../../../src/connectors/stripe/client.ts'
import { StripeAccount, StripeTransaction } from '../../../src/connectors/stripe/wire.ts'
import { isJsonObject } from '../../../src/connectors/toolkit/http/answers.ts'
import { type Json, parseJson } from '../../../src/model/values/json.ts'
import { runPull } from '../../conformance/run.ts'
import { pullNamed, sessionOf } from '../../harness/connector-calls.ts'
import { link, openHarness } from './harness.ts'

const FILE = fileURLToPath(new URL('../../../../shared/samples/banking/stripe/financial_connections_fixtures.json', import.meta.url))
const HAS_SAMPLES = existsSync(FILE)

function sample(name: string): { [key: string]: Json } {
  const all = parseJson(readFileSync(FILE, 'utf8'))
  const found = isJsonObject(all) ? all[`financial_connections.${name}`] : null
  if (!isJsonObject(found)) throw new Error(`no sample ${name}`)
  return found
}

function mapped(entity: 'Accounts' | 'Transactions', wire: unknown, field: string): unknown {
  const map = stripeConnector.entities[entity]?.map.fields[field]
  return map?.(wire, { fetchedAt: new Date(0), unmapped: () => undefined })
}

describe.skipIf(!HAS_SAMPLES)('Stripe’s own fixtures (skipped when ../shared/samples is absent)', () => {
  test('an account matches the schema and is mapped, ignoring its currency “undefined”', () => {
    const account = sample('account')
    expect(Check(StripeAccount, account)).toBe(true)
    expect([mapped('Accounts', account, 'accountNumber'), mapped('Accounts', account, 'actualBalance')]).toEqual(['••••6789', null])
    expect(mapped('Accounts', account, 'kind')).toEqual({ type: 'Cash', subType: 'Checking' })
  })

  test('a transaction matches the schema and is mapped', () => {
    const transaction = sample('transaction')
    expect(Check(StripeTransaction, transaction)).toBe(true)
    expect([mapped('Transactions', transaction, 'amount'), mapped('Transactions', transaction, 'postedOn')]).toEqual(['3', '2024-07-26'])
  })

  test('the simulator’s objects have every property of theirs', async () => {
    const harness = await openHarness()
    const grant = await link(harness)
    const missing: string[] = []
    for (const [pull, name] of [
      ['accounts', 'account'],
      ['transactions', 'transaction'],
    ] as const) {
      const pages = await runPull(sessionOf(harness, grant), pullNamed(stripeConnector, pull))
      const bodies = pages.map(({ page }) => parseJson(new TextDecoder().decode(page.answers[pull])))
      const [row] = bodies.flatMap((body) => (isJsonObject(body) && Array.isArray(body.data) ? body.data : []))
      for (const property of Object.keys(sample(name))) if (!isJsonObject(row) || !(property in row)) missing.push(`${name}.${property}`)
    }
    await harness.close()
    expect(missing).toEqual([])
  })
})
