import { createHash, randomUUID } from 'node:crypto'
import {
  type Connector,
  type Credentials,
  type Grant,
  InputRefused,
  type RedirectAuthorization,
  SourceError,
  type SourceFile,
  type UploadAuthorization,
  type Widget,
  type WidgetAuthorization,
} from '../connectors/contract.ts'
import { Status } from '../model/statuses.ts'
import type { Locale, LocalizedText } from '../model/text.ts'
import { type Authorization, consumeAuthorization, consumeAuthorizationByMatch } from '../store/authorizations.ts'
import { createConnection, findLivingConnection, findProvisional, lockConnection } from '../store/connections.ts'
import { inTransaction } from '../store/database.ts'
import { findLinkById } from '../store/links.ts'
import { storeFile } from '../store/source-files.ts'
import { BooksChoice, narrowGrants, parkGrants } from './books-choice.ts'
import { boundTo } from './catalogue.ts'
import { readCredentials } from './credentials.ts'
import { clearAlarm, raiseClientAlarm } from './credentials-alarm.ts'
import type { SyncDeps } from './deps.ts'
import { acceptGrants, EntityMismatch, type Linked, LinkUsedUp } from './grant.ts'
import { describeLink, type OpenLink } from './link.ts'
import { moveStatus } from './status.ts'
import { refuseStrangers } from './strangers.ts'
import { webhookUrlOf } from './subscribe.ts'
import { hashState, keepWaiting, newState, openMemo } from './waiting-state.ts'

/** The owner came back with a state that is unknown, used, expired or of another browser. */
export class UnknownState extends Error {}

/** The owner said no at the source. */
export class Declined extends Error {}

/** The owner has agreed: a connection in status Authorization appears, the same one when the owner starts over. Throws `LinkUsedUp`. */
export async function beginAuthorization(deps: SyncDeps, open: OpenLink): Promise<{ connectionId: string }> {
  const { instanceId, companyId, issuedBy } = open.link
  return await inTransaction(deps.database, async (db) => {
    const known = await findProvisional(db, instanceId, companyId, open.service.id)
    const link = await findLinkById(db, instanceId, open.link.id)
    if (!link || link.completedAt || link.revokedAt) throw new LinkUsedUp('the link was used up')
    if (known) {
      if (known.status !== Status.Authorization) await moveStatus(db, known, Status.Authorization, 'the owner starts over')
      return { connectionId: known.id }
    }
    const id = randomUUID()
    const { description } = open.service.source
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
    })
    return { connectionId: id }
  })
}

/** Where to send the owner's browser, or what to show on our page for widgets; that page sends `state` along with what it is handed. */
export type Started = { step: 'redirect'; url: string } | { step: 'widget'; widget: Widget; state: string }

/** Begins the source's own step. `linkToken` (from the owner's cookie) binds the way back to this browser. */
export async function startRedirect(
  deps: SyncDeps,
  open: OpenLink,
  request: { connectionId: string; linkToken: string; locale: Locale; institutionId?: string },
): Promise<Started> {
  const { source } = open.service
  const authorize = awayStepOf(await source.load())
  const state = newState()
  const living = await findLivingConnection(deps.database, open.link.instanceId, open.link.companyId, open.service.id)
  const reconnect = living ? await knownCredentials(deps, living) : null
  const started = await authorize.start((living ? boundTo(source, living) : source).kit, {
    callbackUrl: callbackUrl(deps),
    state,
    locale: request.locale,
    webhookUrl: webhookUrlOf(deps, source.description),
    companyId: open.link.companyId,
    ...(request.institutionId === undefined ? {} : { institutionId: request.institutionId }),
    ...(reconnect ? { reconnect } : {}),
  })
  const { connectionId, linkToken } = request
  await keepWaiting(deps, open, { connectionId, linkToken, state, memo: started.memo ?? null, match: started.match })
  return 'url' in started ? { step: 'redirect', url: started.url } : { step: 'widget', widget: started.widget, state }
}

/**
 * The owner is back. Of many identical calls one completes; the others throw `UnknownState`. A `BooksChoice` when the owner has to pick
 * one of several books first.
 */
export async function completeRedirect(
  deps: SyncDeps,
  request: { state: string; linkToken: string; query: Record<string, string> },
): Promise<Linked[] | BooksChoice> {
  const authorization = await consumeAuthorization(deps.database, hashState(deps, request.state, request.linkToken))
  if (!authorization || authorization.expired) throw new UnknownState('the state is not known')
  return await complete(deps, authorization, request.query, request.linkToken)
}

/** The source has told by webhook that the owner finished; null when the browser was faster or nobody waits for it. `match` is hashed. */
export async function completeByMatch(deps: SyncDeps, match: Uint8Array): Promise<Linked[] | null> {
  const authorization = await consumeAuthorizationByMatch(deps.database, match)
  const linked = authorization && (await complete(deps, authorization, {}, null))
  return linked instanceof BooksChoice ? null : linked
}

async function complete(
  deps: SyncDeps,
  authorization: Authorization,
  query: Record<string, string>,
  linkToken: string | null,
): Promise<Linked[] | BooksChoice> {
  const link = await findLinkById(deps.database, authorization.instanceId, authorization.linkId)
  const open = link && (await describeLink(deps, link))
  if (!open) throw new UnknownState('the link is gone')
  const { source } = open.service
  const authorize = awayStepOf(await source.load())
  try {
    if (query.error !== undefined) throw new Declined(/^[a-z_]{1,60}$/.test(query.error) ? query.error : 'refused')
    const living = await findLivingConnection(deps.database, open.link.instanceId, open.link.companyId, open.service.id)
    const reconnect = living ? await knownCredentials(deps, living) : null
    const grants = await authorize.complete((living ? boundTo(source, living) : source).kit, {
      callbackUrl: callbackUrl(deps),
      query,
      memo: openMemo(deps, authorization),
      ...(reconnect ? { reconnect } : {}),
    })
    await clearAlarm(deps, source)
    if (grants.length === 0) throw new Declined('nothing was shared')
    const { connectionId } = authorization
    const accepted = narrowGrants(grants, living)
    if (accepted) await refuseStrangers(deps, open, accepted)
    if (accepted) return await acceptGrants(deps, open, connectionId, accepted)
    if (linkToken === null) throw new Error('a webhook cannot pick one of several books')
    return await parkGrants(deps, open, { connectionId, grants, linkToken })
  } catch (error) {
    if (error instanceof SourceError && error.isClientRefused) await raiseClientAlarm(deps, source, error)
    await noteFailure(deps, authorization, error)
    throw error
  }
}

/** Tries what the owner typed at the source. Throws `InputRefused` for what the owner can mend. */
export async function submitForm(deps: SyncDeps, open: OpenLink, connectionId: string, values: Record<string, string>): Promise<Linked[]> {
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
  const living = await findLivingConnection(deps.database, open.link.instanceId, open.link.companyId, open.service.id)
  const reconnect = living ? await knownCredentials(deps, living) : undefined
  const grant = await connector.authorize.submit(source.kit, Object.fromEntries(wanted), reconnect)
  await refuseStrangers(deps, open, [grant])
  return await acceptGrants(deps, open, connectionId, [grant])
}

/** Files that cannot be used, with what the owner is told of each; nothing was stored. */
export class FilesRefused extends Error {
  readonly refusals: readonly { name: string; text: LocalizedText }[]

  constructor(refusals: readonly { name: string; text: LocalizedText }[]) {
    super(`${refusals.length} files cannot be used`)
    this.refusals = refusals
  }
}

/** Takes files in, all or none. The same bytes a second time are welcome and change nothing. Throws `FilesRefused`. */
export async function submitFiles(
  deps: SyncDeps,
  open: OpenLink,
  connectionId: string,
  files: readonly Omit<SourceFile, 'id'>[],
): Promise<Linked[]> {
  const connector = await open.service.source.load()
  if (connector.authorize.step !== 'upload') throw new Error('this source has no upload step')
  const numbered = files.map((file) => ({ ...file, id: randomUUID() }))
  const grant = await examineAll(connector.authorize, numbered)
  const { instanceId } = open.link
  return await acceptGrants(
    deps,
    open,
    connectionId,
    [grant],
    async (db, connection) => {
      for (const { id, name, bytes } of numbered) {
        const contentHash = createHash('sha256').update(bytes).digest()
        const sealed = deps.sealer.seal({ instanceId, table: 'source_files', rowId: id, column: 'sealed' }, bytes)
        await storeFile(db, { instanceId, id, connectionId: connection.id, name: name.slice(0, 200), contentHash, sealed })
      }
    },
    'file',
  )
}

async function examineAll(upload: UploadAuthorization, files: readonly SourceFile[]): Promise<Grant> {
  const refusals: { name: string; text: LocalizedText }[] = []
  let first: Grant | null = null
  for (const file of files) {
    try {
      const grant = await upload.examine(file)
      first ??= grant
      if (first.entity.id !== grant.entity.id) throw new EntityMismatch(first.entity.name, grant.entity.name)
    } catch (error) {
      if (!(error instanceof InputRefused)) throw error
      refusals.push({ name: file.name, text: error.text })
    }
  }
  if (!first || refusals.length > 0) throw new FilesRefused(refusals)
  return first
}

/** The step that is taken at the source, out of our sight. */
function awayStepOf({ authorize }: Connector): RedirectAuthorization | WidgetAuthorization {
  if (authorize.step !== 'redirect' && authorize.step !== 'widget') throw new Error('this source has no step of its own')
  return authorize
}

async function noteFailure(deps: SyncDeps, authorization: Authorization, error: unknown): Promise<void> {
  const detail =
    error instanceof Declined
      ? 'the owner declined'
      : error instanceof EntityMismatch
        ? 'another entity was authorized'
        : error instanceof Error
          ? error.name
          : 'failed'
  await inTransaction(deps.database, async (db) => {
    const connection = await lockConnection(db, authorization.instanceId, authorization.connectionId)
    if (connection?.status === Status.Authorization) await moveStatus(db, connection, Status.AuthorizationError, detail)
  })
}

async function knownCredentials(deps: SyncDeps, place: { instanceId: string; id: string }): Promise<Credentials> {
  return (await readCredentials(deps, place)).credentials
}

function callbackUrl(deps: SyncDeps): string {
  return `${deps.baseUrl}/connect/callback`
}
