import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ConnectorDescription } from '../../src/connectors/contract/contract.ts'
import { connectors } from '../../src/connectors/registry.ts'
import { readSourceSettings } from '../../src/process/settings/source-settings.ts'
import type { Documented } from './write-docs-mapping.ts'
import { describeSourceKeys, SOURCE_KEYS } from './write-docs-source-keys.ts'

const page = readFileSync(resolve(import.meta.dirname, '../..', SOURCE_KEYS), 'utf8')
const sectionOf = (name: string) => page.split(/^## /m).find((section) => section.startsWith(`${name}\n`)) ?? ''

async function document(description: ConnectorDescription): Promise<Documented> {
  return { description, connector: await description.load(), table: { rows: [], rules: [] } }
}

describe('the keys of each source', () => {
  it.each(connectors.map((connector) => [connector.key, connector] as const))(
    '%s has a section, which names all its keys and where they come from',
    (key, connector) => {
      const section = sectionOf(connector.name)
      const [, first = ''] = section.split('\n\n')
      expect(first.length).toBeGreaterThan(20)
      for (const name of [...connector.appKeys, ...(connector.optionalAppKeys ?? [])]) expect(section).toContain(`\`${name}\``)
      if (connector.link === 'redirect' && connector.appKeys.length > 0) expect(section).toContain(`\`BASE_URL/connect/callback/${key}\``)
    },
  )

  it('are shown in samples that the service reads, all in one file', async () => {
    const samples = [...page.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, block = '']) => JSON.parse(block) as object)
    const folder = await mkdtemp(join(tmpdir(), 'source-keys-'))
    await writeFile(join(folder, 'sources.json'), JSON.stringify(Object.assign({}, ...samples)))
    const settings = await readSourceSettings(folder, connectors)
    await rm(folder, { recursive: true })
    const complete = connectors.filter(({ key, appKeys }) => appKeys.length > 0 && appKeys.every((name) => settings[key]?.app?.[name]))
    expect(complete.map(({ key }) => key)).toEqual(connectors.filter(({ appKeys }) => appKeys.length > 0).map(({ key }) => key))
  })

  it('have the scopes that the owner is sent to the source with', () => {
    expect(sectionOf('Sage Accounting')).toContain('| scopes asked for | `readonly` |')
    expect(sectionOf('Zoho Books')).toContain('`ZohoBooks.accountants.READ`, `ZohoBooks.settings.READ`')
  })

  it('cannot be written for a connector whose README leaves a key out', async () => {
    const [xero] = connectors.filter(({ key }) => key === 'xero')
    if (!xero) throw new Error('there is no Xero')
    const documented = await document({ ...xero, optionalAppKeys: ['journals', 'webhookKey', 'region'] })
    await expect(describeSourceKeys([documented])).rejects.toThrow('src/connectors/xero/README.md does not say what these keys are: region')
    await expect(describeSourceKeys([{ ...documented, description: { ...xero, folder: 'toolkit' } }])).rejects.toThrow(
      'has no part “## Keys”',
    )
  })
})
