import { Status } from '../../../src/model/statuses.ts'
import { faultMessage } from '../../../src/model/texts/status-messages.ts'
import type { Database } from '../../../src/store/db/database.ts'
import { Owner } from '../../connect/kit/owner.ts'
import { walkLink } from '../../connectors/flinks/harness.ts'
import { connectQuickbooks, finishAtPlaid } from '../../journey/http-walks.ts'
import { until } from '../../process/deadline.ts'
import type { PortalHarness } from './portal-harness.ts'

/** Faults of a connection that need no owner. */
export const CONNECTION_FAULTS = [
  // First, since it takes the longest to be detected.
  'timedOut',
  'internal',
  'tooManySetAside',
  'declined',
  'consentExpired',
  'codeNeeded',
  'loginChanged',
  // Last of its source: the alarm stops all its syncs.
  'keysRefused',
] as const
type ConnectionFault = (typeof CONNECTION_FAULTS)[number]

interface CompanyService {
  companyId: string
  serviceId: string
}

const BAKERY = '4620816365200000101'
const GOOD = [15, 19]
/** Abandoned authorizations are checked for twice a minute. */
const TIMED_OUT_MS = 45_000

/** Causes each fault, at a separate company named after it. */
export async function causeFaults(harness: PortalHarness, database: Database) {
  const { client, service } = harness
  const { baseUrl } = service
  const companies = new Map<ConnectionFault, string>()
  for (const cause of CONNECTION_FAULTS) companies.set(cause, await client.addCompany(nameOf(cause)))
  const companyOf = (cause: ConnectionFault) => companies.get(cause) ?? ''
  const idOf = async (name: string) => (await client.service(name)).id
  const linkTo = async (cause: ConnectionFault, name: string) => await client.link(companyOf(cause), await idOf(name))

  async function connected(cause: ConnectionFault): Promise<CompanyService> {
    const companyId = companyOf(cause)
    return { companyId, serviceId: (await client.connectionInStatus(companyId, GOOD)).serviceId }
  }

  /** Syncs again while the simulator has a fault. */
  async function readWith(
    simulator: string,
    fault: string,
    { companyId, serviceId }: CompanyService,
    code: ConnectionFault,
  ): Promise<void> {
    const faults = `/sandbox/simulators/${simulator}/faults`
    await client.ask(faults, { method: 'POST', body: { name: fault, times: 100 } })
    await client.refresh(companyId, serviceId)
    await whenTold(code)
    // Clearing the faults of a simulator also ends the alarm about its keys.
    if (code !== 'keysRefused') await client.ask(faults, { method: 'DELETE' })
  }

  async function whenTold(code: ConnectionFault, withinMs?: number): Promise<void> {
    await until(code, async () => ((await codesOf(companyOf(code))).includes(code) ? true : null), withinMs)
  }

  async function codesOf(companyId: string): Promise<(string | null)[]> {
    const [connection] = await client.connections(companyId)
    if (!connection) return []
    const { body } = await client.ask(`/normalized-data/company/${companyId}/data-connection/${connection.serviceId}/status`)
    const { faultCode, trouble }: { faultCode: string | null; trouble: { code: string } | null } = JSON.parse(body)
    return [faultCode, trouble?.code ?? null]
  }

  /** Directories of banks are loaded after the start. */
  async function whenListed(name: string, search: string): Promise<void> {
    const path = `/normalized-data/services/${await idOf(name)}/institutions?search=${search}`
    await until('the directory of banks', async () => ((await client.ask(path)).total > 0 ? true : null))
  }

  async function atPlaid(cause: ConnectionFault): Promise<CompanyService> {
    await whenListed('Plaid', 'union')
    const { owner, back } = await finishAtPlaid(baseUrl, await linkTo(cause, 'Plaid'), 'union')
    await owner.get(back)
    return await connected(cause)
  }

  async function atFlinks(cause: ConnectionFault): Promise<CompanyService> {
    await whenListed('Flinks', 'banque')
    const owner = new Owner(baseUrl)
    await owner.agree(await linkTo(cause, 'Flinks'))
    const banks = await owner.get('/connect/institutions?search=banque')
    const bank = /<ul class="banks">.*?href="([^"]*)"/s.exec(banks.markup)?.[1] ?? ''
    const leaving = await owner.submit(await owner.get(bank.replaceAll('&amp;', '&')))
    const { leftFor } = await walkLink(leaving.forwardsTo())
    await owner.get(leftFor ?? '')
    return await connected(cause)
  }

  /** Leads to the source, or to its form. */
  async function toBooks(cause: ConnectionFault): Promise<string> {
    const owner = new Owner(baseUrl)
    return (await owner.submit(await owner.agree(await linkTo(cause, 'QuickBooks Online')))).forwardsTo()
  }

  async function atBooks(cause: ConnectionFault): Promise<CompanyService> {
    await connectQuickbooks(baseUrl, await linkTo(cause, 'QuickBooks Online'), { realmId: BAKERY })
    return await connected(cause)
  }

  const makers: Record<ConnectionFault, () => Promise<void>> = {
    // Nobody returns; the owner's hour has expired.
    timedOut: async () => {
      await toBooks('timedOut')
      await database.query(`update authorizations set expires_at = clock_timestamp()`)
    },
    codeNeeded: async () => await readWith('flinks', 'challenge', await atFlinks('codeNeeded'), 'codeNeeded'),
    loginChanged: async () => await readWith('plaid', 'loginRequired', await atPlaid('loginChanged'), 'loginChanged'),
    keysRefused: async () => await readWith('plaid', 'invalidKeys', await atPlaid('keysRefused'), 'keysRefused'),
    consentExpired: async () => {
      const { companyId } = await atBooks('consentExpired')
      // Consents are immutable, even for a test, so the expiry is moved.
      await database.query(`alter table consents disable trigger user;
        update consents set expires_at = clock_timestamp() where company_id = '${companyId}';
        alter table consents enable trigger user`)
    },
    declined: async () => {
      const owner = new Owner(baseUrl)
      const consent = (await owner.submit(await owner.agree(await linkTo('declined', 'QuickBooks Online')))).forwardsTo()
      const body = new URLSearchParams({ realmId: BAKERY, decision: 'cancel' })
      const answer = await fetch(consent, { method: 'POST', body, redirect: 'manual' })
      await owner.get(answer.headers.get('location') ?? '')
    },
    // No simulator breaks that many of its records, so what the engine would write is written here.
    tooManySetAside: async () => {
      const { companyId } = await atBooks('tooManySetAside')
      const { text, code } = faultMessage('tooManySetAside', '30 of 116 records could not be normalized')
      await database.query(`update connections set status = $2, fault = $3, fault_code = $4 where company_id = $1`, [
        companyId,
        Status.StructuringError,
        text,
        code,
      ])
    },
    // The sealed values can no longer be opened.
    internal: async () => {
      const { companyId, serviceId } = await atBooks('internal')
      await database.query(`update connections set credentials = '\\x00' where company_id = $1`, [companyId])
      await client.refresh(companyId, serviceId)
    },
  }
  for (const cause of CONNECTION_FAULTS) await makers[cause]()
  return { nameOf, until: (cause: ConnectionFault) => whenTold(cause, TIMED_OUT_MS) }
}

function nameOf(cause: ConnectionFault): string {
  return `Société ${cause}`
}
