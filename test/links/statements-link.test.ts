import { describe, expect, it } from 'vitest'
import type { ConnectorDescription } from '../../src/connectors/contract/contract.ts'
import { createSources } from '../../src/connectors/sources.ts'
import { toServiceId } from '../../src/model/catalogue.ts'
import { findLink } from '../../src/sync/links/link.ts'
import { findStatementsService, issueStatementsLink } from '../../src/sync/links/statements-link.ts'
import { openForTests } from '../harness/for-tests.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'
import { openLinksHarness } from './harness.ts'

const harness = openForTests(openLinksHarness)
const described = (key: string, more: Partial<ConnectorDescription>): ConnectorDescription => ({
  ...new ScriptedSource(key, 'Banking').description,
  ...more,
})
const sourcesOf = (...descriptions: ConnectorDescription[]) =>
  createSources(descriptions, {
    settings: {},
    simulators: {},
    createKit: (app, hosts) => ({ http: () => Promise.reject(new Error('this source does no HTTP')), app, hosts, now: () => new Date(0) }),
  })

describe('the service to which statements are uploaded', () => {
  it('is the first enabled one for files of banks', () => {
    const upload = { link: 'upload' } as const
    const sources = sourcesOf(
      described('form', {}),
      described('books', { ...upload, category: 'Accounting' }),
      described('closed', { ...upload, appKeys: ['clientId'] }),
      described('files', upload),
      described('later', upload),
    )
    expect(findStatementsService(sources)).toBe(toServiceId('files'))
  })

  it('is none where no source takes them', () => {
    expect(findStatementsService(sourcesOf(described('form', {})))).toBeNull()
    expect(findStatementsService(sourcesOf())).toBeNull()
  })
})

describe('a link to upload statements instead', () => {
  it('is a copy of the owner’s for that service, the same each time', async () => {
    const target = await harness.target()
    const from = await harness.open(target, { language: 'en', lifeHours: 5 })
    const token = await issueStatementsLink(harness.sync.deps, from)
    expect(await issueStatementsLink(harness.sync.deps, from)).toBe(token)
    const [model, made, ...others] = await harness.linksOf(target.instanceId)
    expect([{ ...made, id: '' }, others]).toEqual([{ ...model, id: '', serviceId: harness.sync.serviceId(harness.files) }, []])
    expect((await findLink(harness.sync.deps, token ?? ''))?.id).toBe(made?.id)
    const other = await harness.open(target)
    expect(await issueStatementsLink(harness.sync.deps, other)).not.toBe(token)
  })

  it('is none where no source takes statements, and for a helper', async () => {
    const target = await harness.target()
    const from = await harness.open(target)
    expect(await issueStatementsLink({ ...harness.sync.deps, sources: sourcesOf() }, from)).toBeNull()
    const ofHelper = { ...from, open: { ...from.open, link: { ...from.open.link, parentId: from.open.link.id } } }
    expect(await issueStatementsLink(harness.sync.deps, ofHelper)).toBeNull()
    expect((await harness.linksOf(target.instanceId)).length).toBe(1)
  })
})
