import { beforeEach, describe, expect, it } from 'vitest'
import { toServiceId } from '../../../src/model/catalogue.ts'
import { issueLink } from '../../../src/sync/links/link.ts'
import { ISSUER } from '../../harness/app/tenants.ts'
import { openForTests } from '../../harness/for-tests.ts'
import { openConnectHarness } from '../kit/harness.ts'
import { Owner } from '../kit/owner.ts'
import { redirectTo } from '../kit/picky-sources.ts'
import { decideAtIntuit } from '../kit/quickbooks-owner.ts'

const COMPANY = '4620816365200000101'

const harness = openForTests(() => openConnectHarness({ more: [{ description: redirectTo(null).source, app: {}, hosts: {} }] }))
const logged: [level: string, problem: unknown, cause: boolean][] = []
let owner: Owner
beforeEach(() => {
  owner = new Owner(harness.origin)
  logged.length = 0
  for (const level of ['info', 'warn', 'error'] as const)
    harness.deps.log[level] = (fields: Record<string, unknown>) => void logged.push([level, fields.problem, fields.err !== undefined])
})

async function returnTo(fault: Parameters<typeof harness.quickbooks.fault>[0] | null, decision: 'connect' | 'cancel' = 'connect') {
  const leaving = await owner.submit(await owner.agree(await harness.link('quickbooks')))
  if (fault !== null) harness.quickbooks.fault(fault)
  return await owner.get(await decideAtIntuit(leaving, COMPANY, decision))
}

describe('a problem that an owner is shown', () => {
  it('of the owner’s own is noted, without a cause', async () => {
    await owner.get('/connect/nothing-here')
    await owner.get('/connect?token=x')
    await returnTo(null, 'cancel')
    expect(logged).toEqual([
      ['info', 'nowhere', false],
      ['info', 'link', false],
      ['info', 'declined', false],
    ])
  })

  it('of the source is a warning, with its cause', async () => {
    expect((await returnTo('tokenUnavailable')).status).toBe(502)
    expect(logged).toEqual([['warn', 'silent', true]])
  })

  it('of ours is an error, with its cause', async () => {
    await owner.get(await harness.link('form-source'))
    await harness.deps.database.query('alter table institutions rename to institutions_away')
    try {
      await owner.agree(await harness.link('plaid'))
      expect((await owner.get('/connect/source?institution=ins_1')).status).toBe(500)
    } finally {
      await harness.deps.database.query('alter table institutions_away rename to institutions')
    }
    expect(logged.at(-1)).toEqual(['error', 'ours', true])
  })

  it('of a source that does not answer at the beginning is counted, and shown although it cannot be counted', async () => {
    const { database } = harness.deps
    const step = await owner.agree(
      await issueLink(harness.deps, {
        instanceId: harness.instanceId,
        companyId: await harness.addCompany('Café du Coin'),
        serviceId: toServiceId('redirects'),
        issuedBy: ISSUER,
      }),
    )
    expect((await owner.submit(step)).title).toBe('Renvois is not responding')
    const { rows } = await database.query<{ steps: string[] }>(`select steps from link_progress where source = 'redirects'`)
    expect([rows.map(({ steps }) => steps.includes('failed')), logged.splice(0)]).toEqual([[true], [['warn', 'silent', true]]])
    await database.query('update link_progress set steps = array_remove(steps, $1)', ['failed'])
    await database.query(`alter table link_progress add constraint refused check (not 'failed' = any(steps)) not valid`)
    try {
      expect([(await owner.submit(step)).status, logged]).toEqual([
        502,
        [
          ['warn', 'silent', true],
          ['warn', undefined, true],
        ],
      ])
    } finally {
      await database.query('alter table link_progress drop constraint refused')
    }
  })

  it('has no time to wait for unless it is one of these', async () => {
    expect((await owner.ask('/connect/nothing-here')).headers.get('retry-after')).toBeNull()
  })
})

describe('the pages', () => {
  it.each([
    ['?lang=fr-CA', 'fr-CA'],
    ['?lang=en', 'en'],
    ['?lang=de', null],
    ['', null],
  ])('keep the language that is chosen by %j', async (query, language) => {
    const cookies = (await owner.ask(`/connect/accessibility${query}`)).headers.getSetCookie()
    expect(cookies.map((each) => each.split(';', 1)[0])).toEqual(language === null ? [] : [`language=${language}`])
  })

  it.each(['application/json', 'text/plain', 'application/xml'])('take no %s', async (type) => {
    const consent = await owner.get(await harness.link('form-source'))
    const body = JSON.stringify({ ...consent.hiddenFields(), choice: 'agree' })
    const answer = await owner.ask('/connect/consent', { method: 'POST', body, headers: { 'content-type': type } })
    expect([answer.status, (await harness.countRows()).connections]).toEqual([400, (await harness.countRows()).connections])
  })

  it('know no other method and no other address, each as a page', async () => {
    for (const [method, path] of [
      ['PUT', '/connect/consent'],
      ['DELETE', '/connect/yours'],
      ['GET', '/connect/consent/more'],
    ] as const) {
      const answer = await owner.ask(path, { method })
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    }
  })
})
