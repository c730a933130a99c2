import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { findCompany } from '../../../store/connections/companies.ts'
import { inTransaction } from '../../../store/db/database.ts'
import { admitToQuota } from '../../../store/operators/quotas.ts'
import { createFeed, deleteFeed, type FileFeed, findFeed, listFeeds, listSettled, replaceFeed } from '../../../store/sources/file-feeds.ts'
import { InboxUnreachable } from '../../../sync/file-feeds/file-feed-inbox.ts'
import { enqueuePoll } from '../../../sync/file-feeds/file-feed-schedule.ts'
import { admins, operators, readers } from '../../access/caller.ts'
import { conflict, notFound, orNotFound } from '../../errors/errors.ts'
import { newIdFor } from '../../http/idempotency.ts'
import { route, routes } from '../../http/route.ts'
import { filterParameter, pageOf, readFilter } from '../../lists/list-query.ts'
import { listPage } from '../../lists/list-reply.ts'
import { pageParameters, readPageRequest } from '../../lists/page-parameters.ts'
import { NoContent, strict, Uuid } from '../../schemas/schemas.ts'
import type { RouteDeps } from '../route-deps.ts'
import { recordFeed } from './file-feed-audit.ts'
import { FEED_FILTER, FILE_FILTER } from './file-feed-filters.ts'
import { FeedInput, type FeedWithSecret, Host, HostKeys, Port, readFeed, shownBy } from './file-feed-input.ts'
import { FeedShape, FileShape, presentFeed, presentFile } from './file-feed-shapes.ts'

const tags = ['File feeds']
const feedPath = strict({ feedId: Uuid })
const PATH = '/file-feeds'
/** A feed holds secrets. */
const changing = { scope: 'file-feeds:write', roles: admins, proof: 'fresh' } as const

/** File feeds: folders and SFTP servers polled for statement files. */
export function fileFeedRoutes(deps: RouteDeps): FastifyPluginAsyncTypebox {
  return routes(deps, [
    listFileFeedsRoute,
    createFileFeedRoute,
    getFileFeedRoute,
    updateFileFeedRoute,
    deleteFileFeedRoute,
    lookAtFileFeedRoute,
    listFileFeedFilesRoute,
    askFileFeedHostKeyRoute,
  ])
}

const listFileFeedsRoute = route(
  {
    method: 'GET',
    url: PATH,
    scope: 'file-feeds:read',
    roles: readers,
    schema: {
      tags,
      summary: 'Feeds of statement files',
      operationId: 'listFileFeeds',
      querystring: strict({ ...pageParameters, FilterQuery: filterParameter(FEED_FILTER) }),
      response: { 200: pageOf(FeedShape) },
    },
  },
  async ({ database }: RouteDeps, request, reply) => {
    const page = readPageRequest(request.query)
    const filter = readFilter(request.query.FilterQuery, FEED_FILTER)
    const { feeds, total } = await listFeeds(database, request.caller.instanceId, { ...page, filter })
    return listPage(reply, page, feeds.map(presentFeed), total)
  },
)

const createFileFeedRoute = route(
  {
    method: 'POST',
    url: PATH,
    ...changing,
    audit: 'file-feed.created',
    schema: {
      tags,
      summary: 'Take statement files from a folder or an SFTP server',
      description:
        'Files for one company, or with a folder for each company, named by its id. What was taken goes into the folder `archive` beside it, what cannot be read into `quarantine` with the reason.',
      operationId: 'createFileFeed',
      body: FeedInput,
      response: { 201: FeedShape },
    },
  },
  async (deps: RouteDeps, request, reply) => {
    const { database } = deps
    const feedKey = { instanceId: request.caller.instanceId, id: newIdFor(request) }
    const wanted = await readFeed(deps.sealer, feedKey, request.body, null)
    await checkFeedTarget(deps, feedKey.instanceId, wanted)
    await inTransaction(database, async (db) => {
      if (await findFeed(db, feedKey)) return
      await admitToQuota(db, feedKey.instanceId, 'fileFeeds')
      await createFeed(db, feedKey, wanted.feed, wanted.secret ?? null)
      await recordFeed(db, 'file-feed.created', feedKey, null, wanted)
    })
    reply.code(201)
    return presentFeed(await getFeed(deps, feedKey.instanceId, feedKey.id))
  },
)

const getFileFeedRoute = route(
  {
    method: 'GET',
    url: `${PATH}/:feedId`,
    scope: 'file-feeds:read',
    roles: readers,
    observed: ['checkedOn', 'problem'],
    schema: { tags, summary: 'One feed', operationId: 'getFileFeed', params: feedPath, response: { 200: FeedShape } },
  },
  async (deps: RouteDeps, request) => presentFeed(await getFeed(deps, request.caller.instanceId, request.params.feedId)),
)

const updateFileFeedRoute = route(
  {
    method: 'PUT',
    url: `${PATH}/:feedId`,
    ...changing,
    audit: 'file-feed.changed',
    schema: {
      tags,
      summary: 'Replace a feed',
      description: 'Password and key may be left out where server, user and kind of login stay the same.',
      operationId: 'updateFileFeed',
      params: feedPath,
      body: FeedInput,
      response: { 200: FeedShape },
    },
  },
  async (deps: RouteDeps, request) => {
    const { database } = deps
    const feedKey = { instanceId: request.caller.instanceId, id: request.params.feedId }
    const before = await getFeed(deps, feedKey.instanceId, feedKey.id)
    const wanted = await readFeed(deps.sealer, feedKey, request.body, before)
    await checkFeedTarget(deps, feedKey.instanceId, wanted)
    await inTransaction(database, async (db) => {
      if (!(await replaceFeed(db, feedKey, wanted.feed, wanted.secret))) throw notFound('file feed')
      await recordFeed(db, 'file-feed.changed', feedKey, { feed: before }, wanted)
    })
    return presentFeed(await getFeed(deps, feedKey.instanceId, feedKey.id))
  },
)

const deleteFileFeedRoute = route(
  {
    method: 'DELETE',
    url: `${PATH}/:feedId`,
    ...changing,
    audit: 'file-feed.deleted',
    schema: {
      tags,
      summary: 'End a feed; files and data stay where they are',
      operationId: 'deleteFileFeed',
      params: feedPath,
      response: { 204: NoContent },
    },
  },
  async ({ database }: RouteDeps, request, reply) => {
    const feedKey = { instanceId: request.caller.instanceId, id: request.params.feedId }
    await inTransaction(database, async (db) => {
      const feed = await findFeed(db, feedKey)
      if (!feed || !(await deleteFeed(db, feedKey))) throw notFound('file feed')
      await recordFeed(db, 'file-feed.deleted', feedKey, { feed }, null)
    })
    reply.code(204)
    return null
  },
)

const lookAtFileFeedRoute = route(
  {
    method: 'POST',
    url: `${PATH}/:feedId/look`,
    scope: 'file-feeds:write',
    roles: operators,
    audit: 'file-feed.polled',
    schema: { tags, summary: 'Look for files now', operationId: 'scanFileFeed', params: feedPath, response: { 202: FeedShape } },
  },
  async (deps: RouteDeps, request, reply) => {
    const { database } = deps
    const feed = await getFeed(deps, request.caller.instanceId, request.params.feedId)
    if (feed.isPaused) throw conflict('The feed is paused.')
    await inTransaction(database, async (db) => {
      await enqueuePoll(db, feed)
      await recordFeed(db, 'file-feed.polled', feed, null, null)
    })
    reply.code(202)
    return presentFeed(feed)
  },
)

const listFileFeedFilesRoute = route(
  {
    method: 'GET',
    url: `${PATH}/:feedId/files`,
    scope: 'file-feeds:read',
    roles: readers,
    schema: {
      tags,
      summary: 'What became of the files of a feed, newest first',
      operationId: 'listFileFeedFiles',
      params: feedPath,
      querystring: strict({ ...pageParameters, FilterQuery: filterParameter(FILE_FILTER) }),
      response: { 200: pageOf(FileShape) },
    },
  },
  async (deps: RouteDeps, request, reply) => {
    const { database } = deps
    const feed = await getFeed(deps, request.caller.instanceId, request.params.feedId)
    const page = readPageRequest(request.query)
    const filter = readFilter(request.query.FilterQuery, FILE_FILTER)
    const { files, total } = await listSettled(database, feed, { ...page, filter })
    return listPage(reply, page, files.map(presentFile), total)
  },
)

const askFileFeedHostKeyRoute = route(
  {
    method: 'POST',
    url: '/file-feed-host-keys',
    scope: 'file-feeds:write',
    roles: admins,
    audit: { none: 'asks a server for its keys and keeps nothing' },
    schema: {
      tags,
      summary: 'The keys that an SFTP server shows',
      description: 'Compare them with what the bank has told before pinning one. Nobody logs in.',
      operationId: 'readFileFeedHostKeys',
      body: strict({ host: Host, port: Type.Optional(Port) }),
      response: { 200: HostKeys },
    },
  },
  async (deps: RouteDeps, request) => {
    const { host, port = 22 } = request.body
    try {
      return await shownBy(host, port, deps.sync.feeds?.allowPrivate ?? false)
    } catch (error) {
      if (error instanceof InboxUnreachable) throw conflict(`Not possible: ${error.message}.`)
      throw error
    }
  },
)

async function getFeed({ database }: RouteDeps, instanceId: string, id: string): Promise<FileFeed> {
  return orNotFound(await findFeed(database, { instanceId, id }), 'file feed')
}

async function checkFeedTarget(deps: RouteDeps, instanceId: string, { feed }: FeedWithSecret): Promise<void> {
  const { database } = deps
  if (feed.companyId !== null && !(await findCompany(database, instanceId, feed.companyId))) throw notFound('company')
  if (feed.source.kind === 'folder' && !deps.sync.feeds?.dir) throw conflict('Watched folders are switched off here: FEEDS_DIR is not set.')
}
