import { randomUUID } from 'node:crypto'
import { identifyVisitor } from '../../audit/actor.ts'
import { InputRefused, type RedirectAuthorization, type Widget, type WidgetAuthorization } from '../../connectors/contract/authorization.ts'
import { type Connector, type Grant, SourceError } from '../../connectors/contract/contract.ts'
import type { Source, Sources } from '../../connectors/sources.ts'
import { toCallbackAddress } from '../../model/callback-address.ts'
import { Status } from '../../model/statuses.ts'
import { statusMessage } from '../../model/texts/status-messages.ts'
import type { Locale } from '../../model/values/text.ts'
import { type Authorization, type Claimed, consumeAuthorization } from '../../store/connections/authorizations.ts'
import {
  type Connection,
  createConnection,
  findActiveConnection,
  lockConnection,
  lockProvisional,
} from '../../store/connections/connections.ts'
import { countStep } from '../../store/connections/link-progress.ts'
import { lockLinks, noteTrace } from '../../store/connections/links.ts'
import { type Database, type Db, inTransaction } from '../../store/db/database.ts'
import { withinInstance } from '../../store/db/instance-scope.ts'
import { admitConnection } from '../../store/operators/quotas.ts'
import { currentTraceParent, inSpan, parentInTraceOf } from '../../tracing/spans.ts'
import { moveStatus } from '../connection/status.ts'
import type { Catalogue, Logging, Store, Vault } from '../context/groups.ts'
import { clearAlarm, raiseClientAlarm } from '../credentials/credentials-alarm.ts'
import { LinkAlreadyUsed } from '../links/errors.ts'
import type { OpenLink } from '../links/link.ts'
import { webhookUrlOf } from '../provider-webhooks/subscribe.ts'
import { bindToConnection, hookOwnerOf } from '../sources/source-keys.ts'
import { Declined, recordAuthorizationFailure } from './authorization-failure.ts'
import { type BooksChoice, readGrants, selectKnownGrants, storePendingGrants } from './books-choice.ts'
import { type GivenConsent, recordAgreedConsent, recordBeginning } from './consent.ts'
import type { AuthorizationContext, GrantContext } from './context.ts'
import { acceptGrants, type Linked } from './grant.ts'
import { createState, hashesOfState, openMemo, savePendingAuthorization } from './pending-authorization.ts'
import { assertSameLogins } from './reconnect-check.ts'
import { formerCredentials, resumeAuthorization } from './resume-authorization.ts'

/** Thrown for an OAuth state that is unknown, used, expired or of another browser. */
export class UnknownState extends Error {}

/**
 * Begins an authorization after the owner agreed: creates a connection in status Authorization, or reuses it when the
 * owner starts over, and records the consent, if one was just given. Throws `LinkAlreadyUsed`.
 */
export async function beginAuthorization(database: Database, open: OpenLink, given?: GivenConsent): Promise<{ connectionId: string }> {
  const { instanceId, companyId } = open.link
  return await inTransaction(database, async (db) => {
    const known = await lockProvisional(db, instanceId, companyId, open.service.id)
    if (!(await lockLinks(db, instanceId, open.link.id))) throw new LinkAlreadyUsed('the link was used up')
    if (given) await recordAgreedConsent(db, open, given)
    if (given) await countStep(db, open.link, 'agreed')
    const traceParent = currentTraceParent()
    if (traceParent !== null && (given || open.link.traceParent === null)) await noteTrace(db, instanceId, open.link.id, traceParent)
    if (known && known.status !== Status.Authorization)
      await moveStatus(db, known, Status.Authorization, statusMessage('startedOver', 'the owner starts over'))
    const { id: connectionId } = known ?? (await createProvisional(db, open))
    await recordBeginning(db, open, connectionId, given)
    return { connectionId }
  })
}

/** Creates a connection in status Authorization for the owner of a link. */
export async function createProvisional(db: Db, open: OpenLink): Promise<Connection> {
  const { instanceId, companyId, issuedBy, applicationId } = open.link
  const id = randomUUID()
  const { description } = open.service.source
  await admitConnection(db, instanceId)
  await createConnection(db, {
    instanceId,
    id,
    companyId,
    serviceId: open.service.id,
    connectorKey: description.key,
    category: description.category,
    email: issuedBy,
    status: Status.Authorization,
    refreshHours: description.refreshHours,
    applicationId,
  })
  const created = await lockConnection(db, instanceId, id)
  if (!created) throw new Error('a connection that was just made is gone')
  return created
}

/**
 * URL to redirect the owner's browser to, or widget to show on our page; that page sends `state` along with the
 * widget's result.
 */
export type Started = { step: 'redirect'; url: string } | { step: 'widget'; widget: Widget; state: string }

/** Starts the redirect or widget step. `linkToken` (from the owner's cookie) binds the return to this browser. */
export async function startRedirect(
  deps: Store & Vault & Catalogue,
  open: OpenLink,
  request: { connectionId: string; linkToken: string; locale: Locale; institutionId?: string },
): Promise<Started> {
  const { source } = open.service
  const authorize = offsiteStepOf(await source.load())
  const state = createState()
  const callback = callbackOf(source, authorize)
  const active = await findActiveConnection(deps.database, open.link.instanceId, open.link.companyId, open.service.id)
  const reconnect = active ? await formerCredentials(deps.database, deps, open, active) : null
  const started = await authorize.start((active ? bindToConnection(source, active) : source).kit, {
    callbackUrl: toCallbackAddress(deps.baseUrl, callback),
    state,
    locale: request.locale,
    webhookUrl: webhookUrlOf(deps, deps.baseUrl, source.description, hookOwnerOf(source, open.link.instanceId)),
    companyId: open.link.companyId,
    ...(request.institutionId === undefined ? {} : { institutionId: request.institutionId }),
    ...(reconnect ? { reconnect } : {}),
  })
  const { connectionId, linkToken } = request
  await savePendingAuthorization(deps.database, deps, open, {
    connectionId,
    linkToken,
    state,
    callback,
    memo: started.memo ?? null,
    match: started.match,
  })
  return 'url' in started ? { step: 'redirect', url: started.url } : { step: 'widget', widget: started.widget, state }
}

/**
 * Completes the redirect when the owner returns. Of many identical calls one completes; the others throw
 * `UnknownState`, as does a call with the state of another source: `callback` is the one whose own address was called, null
 * for the shared one. Returns a `BooksChoice` when the owner has to pick one of several books first.
 */
export async function completeRedirect(
  deps: AuthorizationContext,
  request: { state: string; linkToken: string; callback: string | null; query: Record<string, string> },
): Promise<Linked[] | BooksChoice> {
  const { state, linkToken, callback } = request
  const authorization = await consumeAuthorization(deps.database, hashesOfState(deps.hashToken, state, linkToken, callback))
  if (!authorization || authorization.expired) throw new UnknownState('the state is not known')
  return await withinInstance(authorization.instanceId, () => complete(deps, authorization, request))
}

type Returned = Omit<Parameters<typeof completeRedirect>[1], 'state'>

async function complete(deps: AuthorizationContext, authorization: Claimed, returned: Returned): Promise<Linked[] | BooksChoice> {
  const open = await resumeAuthorization(deps, authorization).catch((error: unknown) =>
    refuse(deps.database, deps.sources, authorization, error),
  )
  if (!open) throw new UnknownState('the link is gone')
  identifyVisitor(open.link.parentId === null ? 'owner' : 'helper', open.link.companyId)
  const span = { name: 'complete authorization', parent: parentInTraceOf(open.link.traceParent) }
  return await inSpan(span, () => completeOpen(deps, open, authorization, returned))
}

async function completeOpen(
  deps: AuthorizationContext,
  open: OpenLink,
  authorization: Claimed,
  { query, linkToken, callback }: Returned,
): Promise<Linked[] | BooksChoice> {
  try {
    if (query.error !== undefined) throw new Declined(/^[a-z_]{1,60}$/.test(query.error) ? query.error : 'refused')
    const { connectionId } = authorization
    // A code is good for one exchange; the job of a webhook may have made it, and have left the choice of books.
    const granted = authorization.isGranted && readGrants(openMemo(deps.sealer, authorization))
    const grants = granted || (await askForGrants(deps, open, authorization, { query, callback }))
    return (
      (await acceptSelectedGrants(deps, open, connectionId, grants)) ??
      (await inTransaction(deps.database, (db) => storePendingGrants(db, deps, open, { connectionId, grants, linkToken })))
    )
  } catch (error) {
    if (error instanceof SourceError && error.isClientRefused) await raiseClientAlarm(deps, open.service.source, error)
    return await refuse(deps.database, deps.sources, authorization, error)
  }
}

/** The state cannot be used again: records the reason on the connection. */
async function refuse(database: Database, sources: Sources, authorization: Authorization, error: unknown): Promise<never> {
  await recordAuthorizationFailure(database, sources, authorization, error)
  throw error
}

/** Exchanges the owner's authorization for grants at the source. Throws `Declined` when there are none. */
export async function askForGrants(
  deps: Store & Vault & Catalogue & Logging,
  open: OpenLink,
  authorization: Authorization,
  { query, callback }: Pick<Returned, 'query' | 'callback'>,
): Promise<Grant[]> {
  const { source } = open.service
  const authorize = offsiteStepOf(await source.load())
  const active = await findActiveConnection(deps.database, open.link.instanceId, open.link.companyId, open.service.id)
  const reconnect = active ? await formerCredentials(deps.database, deps, open, active) : null
  const grants = await authorize.complete((active ? bindToConnection(source, active) : source).kit, {
    callbackUrl: toCallbackAddress(deps.baseUrl, callback),
    query,
    memo: openMemo(deps.sealer, authorization),
    ...(reconnect ? { reconnect } : {}),
  })
  await clearAlarm(deps.database, deps.log, source)
  if (grants.length === 0) throw new Declined('nothing was shared')
  return grants
}

/** Connects grants that need no choice; null when the owner has to pick. */
export async function acceptSelectedGrants(
  deps: GrantContext,
  open: OpenLink,
  connectionId: string,
  grants: Grant[],
): Promise<Linked[] | null> {
  const active = await findActiveConnection(deps.database, open.link.instanceId, open.link.companyId, open.service.id)
  const accepted = selectKnownGrants(grants, active)
  if (!accepted) return null
  await assertSameLogins(deps, open, accepted)
  return await acceptGrants(deps, open, connectionId, accepted)
}

/** Form authorization: tries the owner's input at the source. Throws `InputRefused` for what the owner can correct. */
export async function submitForm(
  deps: GrantContext,
  open: OpenLink,
  connectionId: string,
  values: Record<string, string>,
): Promise<Linked[]> {
  const { source } = open.service
  const connector = await source.load()
  if (connector.authorize.step !== 'form') throw new Error('this source has no form step')
  // A password may begin or end with a space.
  const wanted = connector.authorize.fields.map(({ name, type }) => {
    const value = values[name] ?? ''
    return [name, type === 'password' ? value : value.trim()] as const
  })
  const missing = connector.authorize.fields.find((field) => field.required && !values[field.name]?.trim())
  if (missing) throw new InputRefused({ en: 'This field is needed.', 'fr-CA': 'Ce champ est obligatoire.' }, missing.name)
  const active = await findActiveConnection(deps.database, open.link.instanceId, open.link.companyId, open.service.id)
  const reconnect = (active && (await formerCredentials(deps.database, deps, open, active))) ?? undefined
  const grant = await connector.authorize.submit(source.kit, Object.fromEntries(wanted), reconnect)
  await assertSameLogins(deps, open, [grant])
  return await acceptGrants(deps, open, connectionId, [grant])
}

/** Redirect or widget step (as opposed to form or upload). */
function offsiteStepOf({ authorize }: Connector): RedirectAuthorization | WidgetAuthorization {
  if (authorize.step !== 'redirect' && authorize.step !== 'widget') throw new Error('this source has no step of its own')
  return authorize
}

/** The source whose own address owners come back to; null: the shared one, to which our widget page posts as well. */
function callbackOf({ callback, description }: Source, { step }: { step: 'redirect' | 'widget' }): string | null {
  return step === 'redirect' && callback === 'own' ? description.key : null
}
