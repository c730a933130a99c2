import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ProfileFaults } from '../../../src/connectors/fdx/profile-files.ts'
import { connectorsWith } from '../../../src/connectors/registry.ts'

const shipped = new URL('../../../src/connectors/fdx/examples/fdx-ohio-valley.json', import.meta.url)
const sound = JSON.parse(readFileSync(shipped, 'utf8')) as Record<string, unknown>

describe('the operator’s own profiles', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'profiles-'))
    mkdirSync(join(folder, 'fdx'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const write = (name: string, content: unknown) =>
    writeFileSync(join(folder, 'fdx', name), typeof content === 'string' ? content : JSON.stringify(content))

  function faultsOf(): readonly string[] {
    try {
      connectorsWith(folder, true)
    } catch (error) {
      if (error instanceof ProfileFaults) return error.faults.map((fault) => fault.replaceAll(`${join(folder, 'fdx')}/`, ''))
      throw error
    }
    return []
  }

  it('become separate services without any code', () => {
    write('fdx-lac-bleu.json', { ...sound, key: 'fdx-lac-bleu', name: 'Caisse du Lac-Bleu' })
    write('README.txt', 'no profile')
    const all = connectorsWith(folder, true)
    expect(all).toHaveLength(connectorsWith(null, true).length + 1)
    expect(all.at(-1)).toMatchObject({
      key: 'fdx-lac-bleu',
      name: 'Caisse du Lac-Bleu',
      appKeys: ['clientId', 'clientSecret'],
      route: 'direct',
    })
  })

  it('replace a profile of ours with the same key', () => {
    write('fdx-ohio-valley.json', { ...sound, name: 'Mended' })
    const found = connectorsWith(folder, true).filter(({ key }) => key === 'fdx-ohio-valley')
    expect(found.map(({ name }) => name)).toEqual(['Mended'])
  })

  it('never replace another source', () => {
    write('plaid.json', { ...sound, key: 'plaid' })
    expect(faultsOf()).toEqual(['plaid.json: /key "plaid" is that of another source'])
  })

  it('report all their errors at once', () => {
    write('broken.json', '{"key": ')
    write('bare.json', { key: 'bare' })
    write('odd.json', { ...sound, key: 'odd', hosts: { issuer: 'http://bank.example', api: 'https://u:p@bank.example' }, surprise: true })
    write('other.json', sound)
    const faults = faultsOf()
    expect(new Set(faults.map((fault) => fault.split(':')[0]))).toEqual(new Set(['broken.json', 'bare.json', 'odd.json', 'other.json']))
    expect(faults.filter((fault) => fault.startsWith('odd.json')).join('\n')).toMatch(/\/hosts\/issuer[\s\S]*\/hosts\/api/)
    expect(faults.join('\n')).toContain('other.json: /key is "fdx-ohio-valley", but the file is named other.json')
  })
})
