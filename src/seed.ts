import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/value'
import { PasswordHashing } from './api/access/password-hashing.ts'
import { findPasswordFault } from './api/access/password-rules.ts'
import { createUser } from './api/access/user-accounts.ts'
import type { ApiSettings } from './api/settings.ts'
import { ConfigError } from './config.ts'
import { toServiceId } from './model/catalogue.ts'
import type { Secret } from './model/secret.ts'
import { seedOwnerPages } from './sandbox-pages.ts'
import { createCompany } from './store/companies.ts'
import { findLivingConnection } from './store/connections.ts'
import { type Db, inTransaction } from './store/database.ts'
import { writeDurably } from './store/durable-file.ts'
import { createInstance, findFirstInstance } from './store/instances.ts'
import { listUsers } from './store/users.ts'
import { beginAuthorization } from './sync/authorize.ts'
import type { SyncDeps } from './sync/deps.ts'
import { issueLink, openLink } from './sync/link.ts'
import { runSync } from './sync/run.ts'
import { submitFiles } from './sync/submit-files.ts'

/** What a first start made, or a later one found. */
export interface Seeded {
  instanceId: string
  email: string
  /** The password, when this start made it: shown this once. */
  newPassword: string | null
  /** JSON with `email` and `password`, mode 0600; null when this deployment has none, and in production. */
  loginFile: string | null
  /** The first company, in the sandbox. */
  companyId: string | null
}

export interface SeedRequest {
  email: string
  password: Secret | null
  dataDir: string
  isSandbox: boolean
  settings: ApiSettings
}

const USER_NAME = 'Developer'

const NEEDS_PASSWORD = 'SEED_PASSWORD: is needed at the first start in production: the password of the first user, SEED_EMAIL'

const COMPANIES = [
  { name: 'Boulangerie du Plateau', industry: 'Bakery', fullAddress: '4120, avenue du Mont-Royal Est', country: 'CA', city: 'Montréal' },
  { name: 'Buckeye Contracting', industry: 'Construction', fullAddress: '810 W Broad Street', country: 'US', city: 'Columbus' },
]

/**
 * Fills an empty deployment: an instance, in the sandbox companies of which one has a bank file read already, and the first user. The user
 * comes last, so that a first start that was killed is known by an instance without one, and goes on where it ended.
 */
export async function seed(deps: SyncDeps, request: SeedRequest): Promise<Seeded> {
  const loginFile = join(request.dataDir, 'login.json')
  if (!request.isSandbox && existsSync(loginFile)) deps.log.warn({ loginFile }, 'a password is kept in clear in this file; remove it')
  const known = await findFirstInstance(deps.database)
  if (known && (await hasUsers(deps.database, known.id))) {
    const login = await readLogin(loginFile)
    const email = login?.email ?? request.email
    return { instanceId: known.id, email, newPassword: null, loginFile: login && loginFile, companyId: known.companyId }
  }
  const given = request.password?.reveal() ?? null
  if (!request.isSandbox && given === null) throw new ConfigError([NEEDS_PASSWORD])
  const fault = given === null ? null : findPasswordFault(given, { email: request.email, name: USER_NAME })
  if (fault !== null) throw new Error(`SEED_PASSWORD ${fault}`)
  const { id: instanceId, companyId } = known ?? (await createFirstInstance(deps, request.isSandbox))
  if (request.isSandbox && companyId) await readSampleStatement(deps, instanceId, companyId, request.email)
  const password = given ?? (await readLogin(loginFile))?.password ?? randomBytes(15).toString('base64url')
  // The file first: a password that nobody knows would lock everybody out. In production whoever starts it has given it.
  if (request.isSandbox) await writeDurably(loginFile, JSON.stringify({ email: request.email, password }))
  const hashing = new PasswordHashing(request.settings.hashCost)
  const user = { email: request.email, name: USER_NAME, role: 'admin', password } as const
  await createUser({ database: deps.database, hashing, now: deps.now }, instanceId, user)
  const kept = request.isSandbox ? loginFile : null
  return { instanceId, email: request.email, newPassword: given === null ? password : null, loginFile: kept, companyId }
}

async function hasUsers(db: Db, instanceId: string): Promise<boolean> {
  const any = { filter: [], orderBy: 'id', descending: false, limit: 1, offset: 0 }
  return (await listUsers(db, instanceId, any)).total > 0
}

async function createFirstInstance(deps: SyncDeps, isSandbox: boolean): Promise<{ id: string; companyId: string | null }> {
  const id = randomUUID()
  return await inTransaction(deps.database, async (db) => {
    await createInstance(db, { id, name: isSandbox ? 'Sandbox Lending' : 'My Instance' })
    if (isSandbox) await seedOwnerPages(db, id, deps.baseUrl)
    return { id, companyId: isSandbox ? await addCompanies(db, id) : null }
  })
}

async function addCompanies(db: Db, instanceId: string): Promise<string> {
  const ids: string[] = []
  for (const details of COMPANIES) {
    const company = await createCompany(db, instanceId, randomUUID(), { ...details, companyContactNumber: '' })
    ids.push(company.id)
  }
  return ids[0] ?? ''
}

/**
 * Links the first company to its bank by a statement file, along the very way that an owner goes, and reads it, so that the first question
 * of a newcomer has its answer. What an earlier start linked is read again, which changes nothing.
 */
async function readSampleStatement(deps: SyncDeps, instanceId: string, companyId: string, issuedBy: string): Promise<void> {
  const serviceId = toServiceId('bank-files')
  const living = await findLivingConnection(deps.database, instanceId, companyId, serviceId)
  const connectionId = living?.id ?? (await linkSampleStatement(deps, { instanceId, companyId, serviceId, issuedBy }))
  await runSync(deps, { instanceId, connectionId, reason: 'file', isAwaited: false, isStopping: () => false })
}

async function linkSampleStatement(deps: SyncDeps, request: Parameters<typeof issueLink>[1]): Promise<string> {
  const link = await issueLink(deps, request)
  const open = await openLink(deps, new URL(link).searchParams.get('token') ?? '')
  if (!open) throw new Error('the sample link does not open')
  const { connectionId } = await beginAuthorization(deps, open)
  const address = new URL('../simulators/statements/caisse-du-plateau.ofx', import.meta.url)
  await submitFiles(deps, open, connectionId, [{ name: 'caisse-du-plateau.ofx', open: () => readFile(address) }])
  return connectionId
}

const Login = Type.Object({ email: Type.String(), password: Type.String() })

/** Null where there is no file, or one that somebody has changed into something else. */
async function readLogin(loginFile: string): Promise<Static<typeof Login> | null> {
  if (!existsSync(loginFile)) return null
  try {
    const login: unknown = JSON.parse(await readFile(loginFile, 'utf8'))
    return Check(Login, login) ? login : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
