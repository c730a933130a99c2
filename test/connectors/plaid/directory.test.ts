import { describe, expect, test } from 'vitest'
import type { Institution } from '../../../src/connectors/contract/contract.ts'
import { plaidConnector } from '../../../src/connectors/plaid/client.ts'
import type { Json } from '../../../src/model/values/json.ts'
import { failureOf } from '../../harness/connector-calls.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { openHarness } from './harness.ts'

describe('the directory of institutions', () => {
  const harness = openForTests(() => openHarness({ institutionCount: 20_000 }))
  const listPage = async (cursor: Json | null) => {
    if (!plaidConnector.listInstitutions) throw new Error('Plaid has a directory')
    return await plaidConnector.listInstitutions(harness.kit, cursor)
  }

  test('all pages together contain every bank with transactions once, although pages are short', async () => {
    const found: Institution[] = []
    const sizes: number[] = []
    let cursor: Json | null = null
    do {
      const page = await listPage(cursor)
      found.push(...page.institutions)
      sizes.push(page.institutions.length)
      cursor = page.next
    } while (cursor !== null)
    expect(sizes).toHaveLength(40)
    expect(Math.max(...sizes)).toBeLessThan(500)
    expect(found).toHaveLength(20_000 - Math.floor(20_000 / 37))
    expect(new Set(found.map((institution) => institution.id)).size).toBe(found.length)
  })

  test('banks of both countries are listed with their numbers', async () => {
    const { institutions } = await listPage(null)
    expect(new Set(institutions.flatMap((institution) => institution.countries))).toEqual(new Set(['US', 'CA']))
    expect(institutions.every((institution) => institution.routingNumbers.length > 0)).toBe(true)
  })

  test('an unreadable record is omitted, the others stay', async () => {
    const whole = (await listPage(null)).institutions.length
    harness.simulator.fault('schemaDrift')
    expect((await listPage(null)).institutions).toHaveLength(whole)
  })

  test.each(['html', 'truncated', 'empty'])('%s never looks like the end of the directory', async (fault) => {
    harness.simulator.fault(fault)
    expect((await failureOf(listPage(null))).kind).toBe('badData')
  })

  test('a cursor that is not an offset is refused', async () => {
    expect((await failureOf(listPage('first'))).kind).toBe('badData')
  })
})
