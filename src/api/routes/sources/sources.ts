import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { recordChange } from '../../../audit/record.ts'
import type { Source } from '../../../connectors/sources.ts'
import { inTransaction } from '../../../store/db/database.ts'
import { writeHiddenSource } from '../../../store/sources/source-keys.ts'
import { KeysIncomplete, KeysOvertaken, KeysRefused, removeKeys, saveKeys, testAgain } from '../../../sync/sources/source-keys-change.ts'
import { listSourceOverviews } from '../../../sync/sources/source-overview.ts'
import { findTenantSource } from '../../../sync/sources/tenant-sources.ts'
import type { Access } from '../../access/access.ts'
import { admins, type Caller, responsibleUserId } from '../../access/caller.ts'
import { ApiError, badRequest, conflict, notFound, orNotFound } from '../../errors/errors.ts'
import { route, routes } from '../../http/route.ts'
import type { AccessRouteDeps, RouteDeps } from '../route-deps.ts'
import { recordKeys, subjectOf } from './source-audit.ts'
import { toSourceBody } from './source-body.ts'
import { CALLBACKS, KeysInput, RemovedShape, SavedShape, SourceShape, sourcePath, TestedShape, VisibilityInput } from './source-schemas.ts'

const tags = ['Sources']
const PATH = '/sources/:sourceKey'

/** Source settings of an instance: keys of its own app, and which sources it offers. No response contains a key. */
export function sourceRoutes(deps: RouteDeps, access: Access): FastifyPluginAsyncTypebox {
  return routes({ ...deps, access }, [
    listSourcesRoute,
    getSourceRoute,
    changeSourceRoute,
    saveSourceKeysRoute,
    deleteSourceKeysRoute,
    testSourceKeysRoute,
  ])
}

const listSourcesRoute = route(
  {
    method: 'GET',
    url: '/sources',
    scope: 'sources:read',
    roles: admins,
    schema: {
      tags,
      operationId: 'listSources',
      summary: 'Sources, and which keys are set for them',
      response: { 200: Type.Array(SourceShape) },
    },
  },
  async ({ sync }: AccessRouteDeps, { caller: { instanceId } }) =>
    (await listSourceOverviews(sync.database, sync.sources, instanceId)).map((overview) => toSourceBody(sync, instanceId, overview)),
)

const getSourceRoute = route(
  {
    method: 'GET',
    url: PATH,
    scope: 'sources:read',
    roles: admins,
    observed: ['connections', 'connectionsOfOtherApps'],
    schema: { tags, operationId: 'getSource', summary: 'One source', params: sourcePath, response: { 200: SourceShape } },
  },
  async (deps: AccessRouteDeps, { caller, params }) => await getOverview(deps, caller, await getSource(deps, caller, params.sourceKey)),
)

const changeSourceRoute = route(
  {
    method: 'PUT',
    url: PATH,
    scope: 'sources:write',
    roles: admins,
    audit: ['source.hidden', 'source.shown'],
    schema: {
      tags,
      operationId: 'updateSource',
      summary: 'Offer a source to owners, or hide it',
      description: 'No links are made to a hidden source and open ones stop. Connections that exist go on.',
      params: sourcePath,
      body: VisibilityInput,
      response: { 200: SourceShape },
    },
  },
  async (deps: AccessRouteDeps, { caller, params, body }) => {
    const source = await getSource(deps, caller, params.sourceKey)
    const action = body.isHidden ? 'source.hidden' : 'source.shown'
    await inTransaction(deps.database, async (db) => {
      if (await writeHiddenSource(db, caller.instanceId, source.description.key, body.isHidden))
        await recordChange(db, {
          ...{ instanceId: caller.instanceId, action, subject: subjectOf(source) },
          ...{ before: { isHidden: !body.isHidden }, after: body },
        })
    })
    return await getOverview(deps, caller, source)
  },
)

const saveSourceKeysRoute = route(
  {
    method: 'PUT',
    url: `${PATH}/keys`,
    scope: 'sources:write',
    roles: admins,
    proof: 'fresh',
    audit: 'source-keys.saved',
    schema: {
      tags,
      operationId: 'updateSourceKeys',
      summary: 'Set the keys of your own app at a source',
      description:
        'They are tried at the source first: keys that it refuses are answered with 422 and nothing is changed. They are kept sealed, win over those of the deployment and are never shown again.',
      params: sourcePath,
      body: KeysInput,
      response: { 200: SavedShape },
    },
  },
  async (deps: AccessRouteDeps, { caller, params, body }) => {
    const { sync } = deps
    const source = await getSource(deps, caller, params.sourceKey)
    requireKeyed(source)
    const scope = { instanceId: caller.instanceId, source }
    const callback = CALLBACKS.find((kind) => kind === body.callback)
    const details = { keys: Object.keys(body.keys).sort().join(', ').slice(0, 500), ...(callback ? { callback } : {}) }
    const saved = await saveKeys(
      sync,
      scope,
      { keys: body.keys, callback },
      responsibleUserId(caller),
      recordKeys(caller, 'source-keys.saved', source, details),
    ).catch(toAnswer)
    return {
      result: saved.test === 'accepted' ? 'accepted' : 'untested',
      reason: saved.reason,
      connectionsOfOtherApps: saved.connectionsOfOtherApps,
    }
  },
)

const deleteSourceKeysRoute = route(
  {
    method: 'DELETE',
    url: `${PATH}/keys`,
    scope: 'sources:write',
    roles: admins,
    proof: 'fresh',
    audit: 'source-keys.removed',
    schema: {
      tags,
      operationId: 'deleteSourceKeys',
      summary: 'Delete the keys of your own app',
      description: 'Connections that were made with them cannot be read any more: their owners have to connect again.',
      params: sourcePath,
      response: { 200: RemovedShape },
    },
  },
  async (deps: AccessRouteDeps, { caller, params }) => {
    const { sync } = deps
    const source = await getSource(deps, caller, params.sourceKey)
    const connectionsToReconnect = await removeKeys(
      sync.database,
      { instanceId: caller.instanceId, source },
      recordKeys(caller, 'source-keys.removed', source),
    )
    if (connectionsToReconnect === null) throw conflict('No keys are set here.')
    return { connectionsToReconnect }
  },
)

const testSourceKeysRoute = route(
  {
    method: 'POST',
    url: `${PATH}/keys/test`,
    scope: 'sources:write',
    roles: admins,
    audit: 'source-keys.tested',
    schema: {
      tags,
      operationId: 'testSourceKeys',
      summary: 'Ask the source again whether it takes the keys that are set',
      params: sourcePath,
      response: { 200: TestedShape },
    },
  },
  async (deps: AccessRouteDeps, { caller, params }) => {
    const { sync } = deps
    const source = await getSource(deps, caller, params.sourceKey)
    const tested = await testAgain(sync.database, sync, { instanceId: caller.instanceId, source })
    if (!tested) throw conflict('No keys are set here.')
    await inTransaction(deps.database, recordKeys(caller, 'source-keys.tested', source, { result: tested.test }))
    return { result: tested.test, reason: tested.reason }
  },
)

async function getSource({ sync }: AccessRouteDeps, { instanceId }: Caller, key: string): Promise<Source> {
  return orNotFound(await findTenantSource(sync.database, sync.sources, instanceId, key), 'source')
}

async function getOverview({ sync }: AccessRouteDeps, caller: Caller, { description: { key } }: Source) {
  const overviews = await listSourceOverviews(sync.database, sync.sources, caller.instanceId)
  const found = overviews.find(({ source }) => source.description.key === key)
  if (!found) throw notFound('source')
  return toSourceBody(sync, caller.instanceId, found)
}

function requireKeyed({ description }: Source): void {
  if (description.appKeys.length === 0) throw conflict(`${description.name} takes no keys: owners give theirs when they connect.`)
}

function toAnswer(error: unknown): never {
  if (error instanceof KeysIncomplete) {
    throw badRequest(
      'The keys are not complete.',
      error.faults.map(({ name, message }) => ({ field: `keys.${name.slice(0, 100)}`, message })),
    )
  }
  if (error instanceof KeysRefused) throw new ApiError(422, `The source refuses these keys, so nothing was changed. ${error.message}.`)
  if (error instanceof KeysOvertaken) throw conflict('Somebody else has just changed these keys. Look again.')
  throw error
}
