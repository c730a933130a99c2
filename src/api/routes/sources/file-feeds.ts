import { randomUUID } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import { findCompany } from '../../../store/connections/companies.ts'
import {
  createFeed,
  deleteFeed,
  type FileFeed,
  findFeed,
  listFeeds,
  listSettled,
  replaceFeed,
  type SettledFile,
} from '../../../store/sources/file-feeds.ts'
import { InboxUnreachable } from '../../../sync/file-feeds/file-feed-inbox.ts'
import { enqueuePoll } from '../../../sync/file-feeds/file-feed-schedule.ts'
import { admins, operators, readers } from '../../access/caller.ts'
import { conflict, notFound } from '../../errors/errors.ts'
import { filterParameter, pageOf, readFilter } from '../../lists/list-query.ts'
import { listPage } from '../../lists/list-reply.ts'
import { pageParameters, readPageRequest } from '../../lists/page-parameters.ts'
import { Nothing, orNull, PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'
import type { RouteDeps } from '../route-deps.ts'
import { FEED_FILTER, FILE_FILTER } from './file-feed-filters.ts'
import { FeedInput, Host, HostKeys, Port, readFeed, shownBy, type Wanted } from './file-feed-input.ts'

const Source = Type.Union([
  strict({ kind: Type.Literal('folder'), path: Type.String() }),
  strict({
    kind: Type.Literal('sftp'),
    host: Type.String(),
    port: Type.Integer(),
    user: Type.String(),
    path: Type.String(),
    hostKey: Type.String(),
    authentication: Type.String({ enum: ['password', 'key'] }),
    afterwards: Type.String({ enum: ['move', 'leave'] }),
  }),
])

const FeedShape = strict(
  {
    id: Uuid,
    name: Type.String(),
    companyId: orNull(Type.String({ format: 'uuid', description: 'Null: each folder of the feed is named by the id of a company' })),
    source: Source,
    everyMinutes: Type.Integer(),
    isPaused: Type.Boolean(),
    checkedOn: orNull(PlainTimestamp),
    problem: orNull(Type.String({ description: 'Why the last look found out nothing, or not all' })),
    createdOn: PlainTimestamp,
  },
  { title: 'FileFeed' },
)

const FileShape = strict(
  {
    id: Uuid,
    name: Type.String({ description: 'Long numbers in it are masked' }),
    companyId: Uuid,
    sessionId: orNull(Uuid),
    state: Type.String({ enum: ['imported', 'duplicate', 'quarantined'] }),
    reason: orNull(Type.String({ description: 'Why it is in quarantine, or what of an imported file was left out' })),
    size: Type.Integer({ description: 'Bytes' }),
    settledOn: PlainTimestamp,
  },
  { title: 'FeedFile' },
)

const tags = ['File feeds']
const feedPath = strict({ feedId: Uuid })
const PATH = '/file-feeds'

/** File feeds: folders and SFTP servers polled for statement files. */
export function fileFeedRoutes(deps: RouteDeps): FastifyPluginAsyncTypebox {
  const { database } = deps

  async function getFeed(instanceId: string, id: string): Promise<FileFeed> {
    const feed = await findFeed(database, { instanceId, id })
    if (!feed) throw notFound('file feed')
    return feed
  }

  async function checkFeedTarget(instanceId: string, { feed }: Wanted): Promise<void> {
    if (feed.companyId !== null && !(await findCompany(database, instanceId, feed.companyId))) throw notFound('company')
    if (feed.source.kind === 'folder' && !deps.sync.feeds?.dir)
      throw conflict('Watched folders are switched off here: FEEDS_DIR is not set.')
  }

  return async (app) => {
    app.get(
      PATH,
      {
        config: { roles: readers },
        schema: {
          tags,
          summary: 'Feeds of statement files',
          operationId: 'listFileFeeds',
          querystring: strict({ ...pageParameters, FilterQuery: filterParameter(FEED_FILTER) }),
          response: { 200: pageOf(FeedShape) },
        },
      },
      async (request, reply) => {
        const page = readPageRequest(request.query)
        const filter = readFilter(request.query.FilterQuery, FEED_FILTER)
        const { feeds, total } = await listFeeds(database, request.caller.instanceId, { ...page, filter })
        return listPage(reply, page, feeds.map(present), total)
      },
    )
    app.post(
      PATH,
      {
        config: { roles: admins },
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
      async (request, reply) => {
        const feedKey = { instanceId: request.caller.instanceId, id: randomUUID() }
        const wanted = readFeed(deps.sealer, feedKey, request.body, null)
        await checkFeedTarget(feedKey.instanceId, wanted)
        await createFeed(database, feedKey, wanted.feed, wanted.secret ?? null)
        reply.code(201)
        return present(await getFeed(feedKey.instanceId, feedKey.id))
      },
    )
    app.get(
      `${PATH}/:feedId`,
      {
        config: { roles: readers },
        schema: { tags, summary: 'One feed', operationId: 'getFileFeed', params: feedPath, response: { 200: FeedShape } },
      },
      async (request) => present(await getFeed(request.caller.instanceId, request.params.feedId)),
    )
    app.put(
      `${PATH}/:feedId`,
      {
        config: { roles: admins },
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
      async (request) => {
        const feedKey = { instanceId: request.caller.instanceId, id: request.params.feedId }
        const wanted = readFeed(deps.sealer, feedKey, request.body, await getFeed(feedKey.instanceId, feedKey.id))
        await checkFeedTarget(feedKey.instanceId, wanted)
        if (!(await replaceFeed(database, feedKey, wanted.feed, wanted.secret))) throw notFound('file feed')
        return present(await getFeed(feedKey.instanceId, feedKey.id))
      },
    )
    app.delete(
      `${PATH}/:feedId`,
      {
        config: { roles: admins },
        schema: {
          tags,
          summary: 'End a feed; files and data stay where they are',
          operationId: 'deleteFileFeed',
          params: feedPath,
          response: { 204: Nothing },
        },
      },
      async (request, reply) => {
        const { instanceId } = request.caller
        if (!(await deleteFeed(database, { instanceId, id: request.params.feedId }))) throw notFound('file feed')
        reply.code(204)
        return null
      },
    )
    app.post(
      `${PATH}/:feedId/look`,
      {
        config: { roles: operators },
        schema: { tags, summary: 'Look for files now', operationId: 'lookAtFileFeed', params: feedPath, response: { 202: FeedShape } },
      },
      async (request, reply) => {
        const feed = await getFeed(request.caller.instanceId, request.params.feedId)
        if (feed.isPaused) throw conflict('The feed is paused.')
        await enqueuePoll(database, feed)
        reply.code(202)
        return present(feed)
      },
    )
    app.get(
      `${PATH}/:feedId/files`,
      {
        config: { roles: readers },
        schema: {
          tags,
          summary: 'What became of the files of a feed, newest first',
          operationId: 'listFileFeedFiles',
          params: feedPath,
          querystring: strict({ ...pageParameters, FilterQuery: filterParameter(FILE_FILTER) }),
          response: { 200: pageOf(FileShape) },
        },
      },
      async (request, reply) => {
        const feed = await getFeed(request.caller.instanceId, request.params.feedId)
        const page = readPageRequest(request.query)
        const filter = readFilter(request.query.FilterQuery, FILE_FILTER)
        const { files, total } = await listSettled(database, feed, { ...page, filter })
        return listPage(reply, page, files.map(presentFile), total)
      },
    )
    app.post(
      '/file-feed-host-keys',
      {
        config: { roles: admins },
        schema: {
          tags,
          summary: 'The keys that an SFTP server shows',
          description: 'Compare them with what the bank has told before pinning one. Nobody logs in.',
          operationId: 'askFileFeedHostKey',
          body: strict({ host: Host, port: Type.Optional(Port) }),
          response: { 200: HostKeys },
        },
      },
      async (request) => {
        const { host, port = 22 } = request.body
        try {
          return await shownBy(host, port, deps.sync.feeds?.allowPrivate ?? false)
        } catch (error) {
          if (error instanceof InboxUnreachable) throw conflict(`Not possible: ${error.message}.`)
          throw error
        }
      },
    )
  }
}

function present({ instanceId: _instance, checkedAt, createdAt, ...feed }: FileFeed) {
  return { ...feed, checkedOn: checkedAt && toPlainTimestamp(checkedAt), createdOn: toPlainTimestamp(createdAt) }
}

function presentFile({ connectionId, settledAt, ...file }: SettledFile) {
  return { ...file, sessionId: connectionId, settledOn: toPlainTimestamp(settledAt) }
}
