import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { hashUser, storeUser } from '../api/access/account/user-accounts.ts'
import { PasswordHashing } from '../api/access/passwords/password-hashing.ts'
import { findPasswordFault } from '../api/access/passwords/password-rules.ts'
import type { ApiSettings } from '../api/context/settings.ts'
import { type AuditWriter, ownScope, withinActor } from '../audit/actor.ts'
import { recordChange } from '../audit/record.ts'
import type { Secret } from '../model/values/secret.ts'
import { createInstance, findFirstInstance, settleInstanceKinds } from '../store/access/instances.ts'
import { listUsers } from '../store/access/users.ts'
import { type Company, createCompany } from '../store/connections/companies.ts'
import { type Db, inTransaction } from '../store/db/database.ts'
import { type QuotaName, saveQuotaDefaults } from '../store/operators/quotas.ts'
import type { SyncDeps } from '../sync/context/deps.ts'
import { loginFileOf, readLogin, writeLogin } from './login-file.ts'
import { connectSamples, hasSampleBooks } from './sandbox/sample-connections.ts'
import { seedOwnerPages } from './sandbox/sandbox-pages.ts'

/** What a first start created, or a later one found. */
export interface Seeded {
  instanceId: string
  email: string
  /** Password, if this start generated it: shown only this once. */
  newPassword: string | null
  /** JSON file with `email` and `password`, mode 0600; null when there is none: in production, and after the first login with it. */
  loginFile: string | null
  /** First company, in the sandbox. */
  companyId: string | null
  /** Whether that company is connected to the sample books. */
  hasBooks: boolean
}

export interface SeedRequest {
  email: string
  password: Secret | null
  dataDir: string
  isSandbox: boolean
  /** Name of the first instance, in production. */
  instanceName: string
  /** Bounds of an instance for which operators have set none. */
  quotas: Partial<Record<QuotaName, number>>
  settings: ApiSettings
}

interface FirstInstance {
  id: string
  companyId: string | null
}

const USER_NAME = 'Developer'

const COMPANIES = [
  { name: 'Boulangerie du Plateau', industry: 'Bakery', fullAddress: '4120, avenue du Mont-Royal Est', country: 'CA', city: 'Montréal' },
  { name: 'Buckeye Contracting', industry: 'Construction', fullAddress: '810 W Broad Street', country: 'US', city: 'Columbus' },
]

/**
 * Seeds an empty deployment: an instance, in the sandbox companies of which one is connected to a bank and to books,
 * and the first user. The user comes last: an instance without one marks a first start that was killed, which then
 * continues where it stopped.
 */
export async function seed(deps: SyncDeps, request: SeedRequest, writer: AuditWriter): Promise<Seeded> {
  return await withinActor(ownScope(writer, 'command', 'start'), () => seedOrFind(deps, request))
}

async function seedOrFind(deps: SyncDeps, request: SeedRequest): Promise<Seeded> {
  const loginFile = loginFileOf(request.dataDir)
  if (!request.isSandbox && existsSync(loginFile)) deps.log.warn({ loginFile }, 'a password is kept in clear in this file; remove it')
  await saveQuotaDefaults(deps.database, request.quotas)
  await settleInstanceKinds(deps.database, request.isSandbox ? 'test' : 'live')
  const known = await findFirstInstance(deps.database)
  if (known && (await hasUsers(deps.database, known.id))) {
    const login = await readLogin(request.dataDir)
    const email = login?.email ?? request.email
    const hasBooks = request.isSandbox && (await isConnectedToBooks(deps, known.id, known.companyId))
    return { instanceId: known.id, email, newPassword: null, loginFile: login && loginFile, companyId: known.companyId, hasBooks }
  }
  const given = request.password?.reveal() ?? null
  const fault = given === null ? null : await findPasswordFault(given, { email: request.email, name: USER_NAME })
  if (fault !== null) throw new Error(`SEED_PASSWORD ${fault}`)
  const password = given ?? (await readLogin(request.dataDir))?.password ?? randomBytes(16).toString('base64url')
  const user = { email: request.email, name: USER_NAME, role: 'admin', password } as const
  // Another thread hashes meanwhile.
  const [prepared, { id: instanceId, companyId }] = await Promise.all([
    hashUser(new PasswordHashing(request.settings.hashCost), user),
    makeInstance(deps, request, known),
  ])
  // The file first: a password that nobody knows would lock everyone out. In production it comes from the settings, or by a one-time link.
  if (request.isSandbox) await writeLogin(request.dataDir, { email: request.email, password })
  await inTransaction(deps.database, async (db) => {
    const after = await storeUser(db, instanceId, prepared, deps.now())
    await recordChange(db, { instanceId, action: 'user.created', subject: `user/${after.id}`, after })
  })
  if (!request.isSandbox && given === null)
    deps.log.warn({ email: request.email }, 'the first administrator has no password; countinghouse admin-link prints a link to set one')
  const kept = request.isSandbox ? loginFile : null
  const hasBooks = request.isSandbox && (await isConnectedToBooks(deps, instanceId, companyId))
  return {
    instanceId,
    email: request.email,
    newPassword: given === null && request.isSandbox ? password : null,
    loginFile: kept,
    companyId,
    hasBooks,
  }
}

async function isConnectedToBooks(deps: SyncDeps, instanceId: string, companyId: string | null): Promise<boolean> {
  return companyId !== null && (await hasSampleBooks(deps, { instanceId, companyId }))
}

async function hasUsers(db: Db, instanceId: string): Promise<boolean> {
  const any = { filter: [], orderBy: 'id', descending: false, limit: 1, offset: 0 }
  return (await listUsers(db, instanceId, any)).total > 0
}

/** The first instance, with the samples of a sandbox; what an interrupted start has made is completed. */
async function makeInstance(deps: SyncDeps, request: SeedRequest, known: FirstInstance | null): Promise<FirstInstance> {
  const instance = known ?? (await createFirstInstance(deps, request))
  const { id: instanceId, companyId } = instance
  if (request.isSandbox && companyId) await connectSamples(deps, { instanceId, companyId, issuedBy: request.email })
  return instance
}

async function createFirstInstance(deps: SyncDeps, { isSandbox, instanceName, settings }: SeedRequest): Promise<FirstInstance> {
  const id = randomUUID()
  const made = isSandbox ? ({ name: 'Sandbox Lending', kind: 'test' } as const) : ({ name: instanceName, kind: 'live' } as const)
  return await inTransaction(deps.database, async (db) => {
    await createInstance(db, { id, ...made })
    if (isSandbox) await seedOwnerPages(db, id, settings.publicUrl)
    const companies = isSandbox ? await addCompanies(db, id) : []
    await recordChange(db, { instanceId: id, action: 'instance.created', subject: `instance/${id}`, after: made })
    for (const after of companies)
      await recordChange(db, { instanceId: id, action: 'company.created', subject: `company/${after.id}`, after })
    return { id, companyId: companies[0]?.id ?? null }
  })
}

async function addCompanies(db: Db, instanceId: string): Promise<Company[]> {
  const companies: Company[] = []
  for (const details of COMPANIES) {
    companies.push(await createCompany(db, instanceId, randomUUID(), { ...details, companyContactNumber: '' }))
  }
  return companies
}
