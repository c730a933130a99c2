import type { Db } from '../db/database.ts'
import type { Role } from './users.ts'

/** Settings of the OpenID provider of an instance, without its secret. */
export interface ProviderSettings {
  issuer: string
  clientId: string
  scopes: string[]
  /** Further parameters of the authorization request. */
  parameters: Record<string, string>
  /** Null: groups do not decide about roles. */
  groupsClaim: string | null
  /** In lower case; empty: all. */
  emailDomains: string[]
  trustsEmails: boolean
  createsMembers: boolean
  /** Role of a member to whom no group gives one; null: none, so that the member is refused. */
  defaultRole: Role | null
  acceptedAcr: string[]
  acceptedAmr: string[]
  isRequired: boolean
}

export interface IdentityProvider extends ProviderSettings {
  instanceId: string
  /** Stays the same when the settings are replaced. */
  id: string
  sealedSecret: Uint8Array
  triedAt: Date | null
  version: string
  updatedAt: Date
}

const COLUMNS = `p.instance_id as "instanceId", p.id, p.issuer, p.client_id as "clientId", p.client_secret as "sealedSecret", p.scopes,
  p.parameters, p.groups_claim as "groupsClaim", p.email_domains as "emailDomains", p.trusts_emails as "trustsEmails",
  p.creates_members as "createsMembers", p.default_role as "defaultRole", p.accepted_acr as "acceptedAcr",
  p.accepted_amr as "acceptedAmr", p.is_required as "isRequired", p.tried_at as "triedAt", p.version, p.updated_at as "updatedAt"`

export async function findIdentityProvider(db: Db, instanceId: string): Promise<IdentityProvider | null> {
  const { rows } = await db.query<IdentityProvider>(`select ${COLUMNS} from identity_providers p where p.instance_id = $1`, [instanceId])
  return rows[0] ?? null
}

/** The same, locked until the transaction ends. */
export async function lockIdentityProvider(db: Db, instanceId: string): Promise<IdentityProvider | null> {
  const { rows } = await db.query<IdentityProvider>(`select ${COLUMNS} from identity_providers p where p.instance_id = $1 for update`, [
    instanceId,
  ])
  return rows[0] ?? null
}

export async function saveIdentityProvider(db: Db, provider: IdentityProvider): Promise<void> {
  await db.query(
    `insert into identity_providers (instance_id, issuer, client_id, client_secret, scopes, parameters, groups_claim, email_domains,
       trusts_emails, creates_members, default_role, accepted_acr, accepted_amr, is_required, tried_at, version, updated_at, id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
     on conflict (instance_id) do update set (issuer, client_id, client_secret, scopes, parameters, groups_claim, email_domains,
       trusts_emails, creates_members, default_role, accepted_acr, accepted_amr, is_required, tried_at, version, updated_at)
       = (excluded.issuer, excluded.client_id, excluded.client_secret, excluded.scopes, excluded.parameters, excluded.groups_claim,
       excluded.email_domains, excluded.trusts_emails, excluded.creates_members, excluded.default_role, excluded.accepted_acr,
       excluded.accepted_amr, excluded.is_required, excluded.tried_at, excluded.version, excluded.updated_at)`,
    [
      ...[provider.instanceId, provider.issuer, provider.clientId, provider.sealedSecret, provider.scopes],
      ...[JSON.stringify(provider.parameters), provider.groupsClaim, provider.emailDomains, provider.trustsEmails],
      ...[provider.createsMembers, provider.defaultRole, provider.acceptedAcr, provider.acceptedAmr, provider.isRequired],
      ...[provider.triedAt, provider.version, provider.updatedAt, provider.id],
    ],
  )
}

/** False when there is none. */
export async function deleteIdentityProvider(db: Db, instanceId: string): Promise<boolean> {
  const { rowCount } = await db.query('delete from identity_providers where instance_id = $1', [instanceId])
  return rowCount === 1
}

/** Whether members of the instance can sign in with its provider only. */
export async function isProviderRequired(db: Db, instanceId: string): Promise<boolean> {
  const { rows } = await db.query('select from identity_providers where instance_id = $1 and is_required', [instanceId])
  return rows.length > 0
}

/** The same, and locks the settings until the transaction ends. */
export async function lockProviderRequirement(db: Db, instanceId: string): Promise<boolean> {
  // Without a condition on `is_required`: a row that another transaction is changing has to be waited for.
  const { rows } = await db.query<{ isRequired: boolean }>(
    'select is_required as "isRequired" from identity_providers where instance_id = $1 for share',
    [instanceId],
  )
  return rows[0]?.isRequired ?? false
}

/** Records the first sign-in of an administrator with the settings of `version`. */
export async function noteTry(db: Db, instanceId: string, version: string, at: Date): Promise<void> {
  await db.query(
    'update identity_providers set tried_at = $3, updated_at = $3 where instance_id = $1 and version = $2 and tried_at is null',
    [instanceId, version, at],
  )
}

/** Allows passwords again; false when they are allowed already. */
export async function endProviderRequirement(db: Db, instanceId: string, at: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    'update identity_providers set is_required = false, updated_at = $2 where instance_id = $1 and is_required',
    [instanceId, at],
  )
  return rowCount === 1
}

/** Instance with a provider at which a person can sign in. */
export interface SignInOption {
  instanceId: string
  instanceName: string
  issuer: string
  isRequired: boolean
}

const SIGN_IN_OPTIONS = `select i.id as "instanceId", i.name as "instanceName", p.issuer, p.is_required as "isRequired" from identity_providers p join instances i on i.id = p.instance_id`

/** Provider of an instance by its id or its name in any case, of the member with an address, or of an address's domain. Two at most. */
export async function listSignInOptions(
  db: Db,
  by: { instanceId: string } | { name: string } | { email: string } | { domain: string },
): Promise<SignInOption[]> {
  const [condition, value] = toCondition(by)
  const { rows } = await db.query<SignInOption>(`${SIGN_IN_OPTIONS} where ${condition} order by i.id limit 2`, [value])
  return rows
}

function toCondition(by: Parameters<typeof listSignInOptions>[1]): [string, string] {
  if ('instanceId' in by) return ['i.id = $1', by.instanceId]
  if ('name' in by) return ['lower(i.name) = lower($1)', by.name]
  if ('email' in by) return ['i.id = (select u.instance_id from users u where u.email = $1)', by.email]
  // A domain that nobody has signed in with proves nothing.
  return [`p.tried_at is not null and p.creates_members and $1 = any(p.email_domains)`, by.domain]
}
