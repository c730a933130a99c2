import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bankApiConnector } from '../../../src/connectors/bank-api/client.ts'
import type { Profile } from '../../../src/connectors/bank-api/profile.ts'
import { listFaults } from '../../../src/connectors/bank-api/profile-faults.ts'
import { createKit } from '../../../src/connectors/toolkit/http/kit.ts'
import { createEgress } from '../../../src/egress/egress.ts'
import { listItems, mapperOf, pullNamed, sessionOf } from '../../harness/connector-calls.ts'
import { submitForm } from '../../harness/form.ts'

/** The JSON blocks of a document, in order. */
function blocksOf(path: string): unknown[] {
  const text = readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
  return [...text.matchAll(/```json\n([\s\S]*?)```/g)].map((match) => JSON.parse(match[1] ?? '') as unknown)
}

const [answer, saltmarsh] = blocksOf('docs/bank-api-profiles.md') as [object, Profile]

describe('the documents', () => {
  it('contain complete and valid profiles', () => {
    const [fjord] = blocksOf('src/connectors/bank-api/README.md')
    expect(listFaults('fjord', fjord)).toEqual([])
    expect(listFaults('saltmarsh', saltmarsh)).toEqual([])
  })
})

describe('Saltmarsh Trust, as described in the document', () => {
  const seen: (string | string[] | undefined)[] = []
  const server = createServer((request, response) => {
    seen.push(request.headers['x-api-key'])
    const isList = request.url?.startsWith('/v3/clients/55021/deposits?offset=0&max=100') || request.url?.includes('max=100')
    response.end(JSON.stringify(isList ? answer : { client: { name: 'Atelier Bois-Franc', phone: '418-555-0142' } }))
  })
  const egress = createEgress({ allowPrivate: true })
  let api = ''
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    api = `http://127.0.0.1:${address && typeof address === 'object' ? address.port : 0}`
  })
  afterAll(async () => {
    await egress.close()
    await new Promise((resolve) => server.close(resolve))
  })

  it('is connected without any code', async () => {
    const kit = createKit({ egress, app: { apiKey: 'k-55' }, hosts: { api }, now: () => new Date(0), allowPrivate: true })
    const connector = bankApiConnector(saltmarsh)
    const grant = await submitForm(connector, kit, { client: '55021', phone: '(418) 555 0142' })
    expect(grant.entity).toEqual({ id: '55021', name: 'Atelier Bois-Franc' })
    const items = await listItems(sessionOf({ kit }, grant), pullNamed(connector))
    expect(items.map(mapperOf(connector))).toMatchObject([
      {
        accountNumber: '••••0123',
        actualBalance: '1204.5',
        kind: { type: 'Cash', subType: 'Checking' },
        actualBalanceDate: '2026-11-20T00:00:00+00:00',
      },
      { accountNumber: '••••0456', actualBalance: '-310', kind: { type: 'Loans', subType: 'Overdraft' } },
    ])
    expect(new Set(seen)).toEqual(new Set(['k-55']))
  })
})
