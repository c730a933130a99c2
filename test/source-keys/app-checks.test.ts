import { describe, expect, it } from 'vitest'
import { SANDBOX_SOURCES } from '../../simulators/sandbox-sources.ts'
import { serveSimulator } from '../../simulators/simulator.ts'
import { appKeyTextOf } from '../../src/connectors/contract/app-key-texts.ts'
import { toAppName } from '../../src/connectors/contract/app-keys.ts'
import { type Kit, SourceError } from '../../src/connectors/contract/contract.ts'
import { connectors, exampleConnectors } from '../../src/connectors/registry.ts'
import { createKit } from '../../src/connectors/toolkit/http/kit.ts'
import { createEgress } from '../../src/egress/egress.ts'
import { keyAnswerInFrench } from '../../src/portal/texts/messages/key-answers.ts'
import { withoutOperator } from '../../src/sync/sources/source-keys-test.ts'
import { httpSubjects } from '../conformance/subjects.ts'

/** Sources whose keys can only be checked with an owner. */
const NEEDS_OWNER = new Set([
  // Each account has its own token address.
  'netsuite',
])

/** Required keys that cannot be checked without an owner. */
const UNCHECKED_KEYS: Readonly<Record<string, readonly string[]>> = {
  // Any other well-formed list is accepted.
  akoya: ['connectors'],
  // Sent with data calls only.
  'bank-api-peakfield': ['apiKey'],
  // Used by the browser.
  stripe: ['publishableKey'],
  // Used by the browser, and by TLS, which test/connectors/teller/certificate.test.ts covers.
  teller: ['applicationId', 'certificate', 'privateKey'],
  // Yodlee issues a token for any name.
  yodlee: ['adminLoginName'],
}

const keyed = httpSubjects.filter(({ description }) => description.appKeys.length > 0)

function wrong(kit: Kit, name: string): Kit {
  return { ...kit, app: { ...kit.app, [name]: `${kit.app[name] ?? ''}-wrong` } }
}

/** Messages of the checks below. */
const keyAnswers: string[] = []

async function answerOf(check: Promise<void>): Promise<string> {
  try {
    await check
    return 'accepted'
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    keyAnswers.push(withoutOperator(error.message))
    return error.isClientRefused ? 'refused' : `untested: ${error.message}`
  }
}

describe('the keys of a source', () => {
  it.each(keyed)(
    'are accepted by $description.key if they are right, and refused if one of them is wrong',
    async ({ description, connector, subject }) => {
      if (NEEDS_OWNER.has(description.key)) {
        expect(connector.checkApp).toBeUndefined()
        return
      }
      const { session, close } = await subject.open('small')
      try {
        const check = connector.checkApp
        if (!check) throw new Error(`${description.key} cannot check its keys`)
        expect(await answerOf(check(session.kit))).toBe('accepted')
        const names = description.appKeys.filter((name) => !UNCHECKED_KEYS[description.key]?.includes(name))
        for (const name of names) expect(await answerOf(check(wrong(session.kit, name))), name).toBe('refused')
      } finally {
        await close()
      }
    },
  )

  it.each(keyed.filter(({ description }) => SANDBOX_SOURCES[description.key] && !NEEDS_OWNER.has(description.key)))(
    'are accepted by the sandbox of $description.key if they are its own, and no others are',
    async ({ description, connector }) => {
      const source = SANDBOX_SOURCES[description.key]
      if (!source || !connector.checkApp) throw new Error(`${description.key} has no sandbox, or cannot check its keys`)
      const running = await serveSimulator(await source.load())
      const egress = createEgress({ allowPrivate: true })
      const hosts = Object.fromEntries(source.hosts.map((host) => [host, running.url]))
      const kit = createKit({ egress, app: source.app, hosts, now: () => new Date(), allowPrivate: true })
      try {
        expect(await answerOf(connector.checkApp(kit))).toBe('accepted')
        const names = description.appKeys.filter(
          (name) => !UNCHECKED_KEYS[description.key]?.includes(name) && source.app[name] !== undefined,
        )
        for (const name of names) expect(await answerOf(connector.checkApp(wrong(kit, name))), name).toBe('refused')
      } finally {
        await egress.close()
        await running.close()
      }
    },
  )

  it.each(keyed.filter(({ description: { appKeys }, connector }) => appKeys.includes('clientId') && connector.refreshCredentials))(
    'are not reported as accepted by $description.key if a firewall answers instead',
    async ({ connector, subject }) => {
      const { session, close } = await subject.open('small')
      try {
        const page = { status: 403, headers: { 'content-type': 'text/html' }, body: new TextEncoder().encode('<html>Forbidden</html>') }
        const { http } = session.kit
        const walled: Kit = { ...session.kit, http: async (request) => (request.method === 'POST' ? page : await http(request)) }
        const answer = connector.checkApp ? await answerOf(connector.checkApp(walled)) : 'cannot be asked'
        expect(answer).not.toBe('accepted')
      } finally {
        await close()
      }
    },
  )

  it('have check messages that the portal has in French too', () => {
    expect(keyAnswers.length).toBeGreaterThan(50)
    expect(keyAnswers.filter((answer) => keyAnswerInFrench(answer) === null)).toEqual([])
  })

  it('are described in both languages, with the key that names the app not secret', () => {
    const undescribed = [...connectors, ...exampleConnectors].flatMap((description) =>
      [...description.appKeys, ...(description.optionalAppKeys ?? [])]
        .filter((name) => Object.values(appKeyTextOf(description, name).label).includes(name) && name !== 'x-api-key')
        .map((name) => `${description.key} ${name}`),
    )
    expect(undescribed).toEqual([])
    for (const description of connectors) {
      const name = toAppName(description)
      if (name !== null) expect(appKeyTextOf(description, name).isPublic, `${description.key} ${name}`).toBe(true)
    }
  })
})
