import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { limitsOf, withNumbers } from '../../src/connectors/contract/limits.ts'
import { plaid } from '../../src/connectors/plaid/index.ts'
import { connectors } from '../../src/connectors/registry.ts'
import { xero } from '../../src/connectors/xero/index.ts'
import { readSourceSettings } from '../../src/process/settings/source-settings.ts'

const names = (limits: readonly { name: string }[]) => limits.map((limit) => limit.name)

describe('the limits of a source', () => {
  it('have unique names and hosts that the source has', () => {
    for (const { key, limits = [], hosts } of connectors) {
      expect([key, new Set(names(limits)).size]).toEqual([key, limits.length])
      for (const limit of limits)
        for (const host of limit.hosts ?? []) expect([key, Object.keys(hosts)]).toEqual([key, expect.arrayContaining([host])])
    }
  })

  it('use the operator’s numbers, and 0 removes one', () => {
    const limits = withNumbers(xero.limits ?? [], { day: 1_000, concurrent: 0 })
    expect(limits.find((limit) => limit.name === 'day')).toMatchObject({ calls: 1_000 })
    expect(names(limits)).toEqual(['minute', 'day', 'appMinute'])
  })

  it('count only calls of their host and path, and limits per books only if the books are known', () => {
    const xeroCalls = (hosts: string[], hasEntity: boolean) => names(limitsOf(xero.limits ?? [], { hosts, path: '/', hasEntity }))
    expect(xeroCalls(['token'], true)).toEqual([])
    expect(xeroCalls(['api'], false)).toEqual(['appMinute'])
    expect(xeroCalls(['api'], true)).toEqual(['concurrent', 'minute', 'day', 'appMinute'])
    expect(names(limitsOf(plaid.limits ?? [], { hosts: ['api'], path: '/item/get', hasEntity: true }))).toEqual(['item', 'clientItem'])
  })
})

describe('sources.json', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countinghouse-settings-'))
  })
  afterEach(async () => await rm(folder, { recursive: true, force: true }))

  it('sets limits by name and refuses an unknown one', async () => {
    await writeFile(join(folder, 'sources.json'), '{"quickbooks": {"limits": {"month": 2000000}}}')
    expect(await readSourceSettings(folder, connectors)).toEqual({ quickbooks: { limits: { month: 2_000_000 } } })
    await writeFile(join(folder, 'sources.json'), '{"quickbooks": {"limits": {"week": 5}}}')
    await expect(readSourceSettings(folder, connectors)).rejects.toThrow(
      'quickbooks has no limit "week"; known are concurrent, minute, month',
    )
  })
})
