import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { recordChange } from '../../../audit/record.ts'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import { type Database, inTransaction } from '../../../store/db/database.ts'
import { listDeadJobs, redriveJobs } from '../../../store/jobs/dead-jobs.ts'
import { admins } from '../../access/caller.ts'
import { notFound } from '../../errors/errors.ts'
import { route, routes } from '../../http/route.ts'
import { listQuerySchema, pageOf, readListQuery, withStoreNames } from '../../lists/list-query.ts'
import { listPage } from '../../lists/list-reply.ts'
import { PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'

/** API names of the listed properties; the store calls instants `…At`. */
const STORE_NAMES = { createdOn: 'createdAt', diedOn: 'diedAt' }
const LIST = {
  filter: { id: 'uuid', kind: 'string', key: 'string', provider: 'string', attempts: 'number', createdOn: 'date', diedOn: 'date' },
  orderBy: ['diedOn', 'createdOn', 'id', 'kind', 'key', 'provider', 'attempts'],
} as const

const DeadJobShape = strict(
  {
    id: Uuid,
    kind: Type.String({ examples: ['sync'] }),
    key: Type.String({ description: 'What it is about', examples: ['connection/2c1f…'] }),
    provider: Type.String({ description: 'Key of the source; empty for work of our own' }),
    attempts: Type.Integer(),
    error: Type.String({ description: 'Why its last attempt failed' }),
    createdOn: PlainTimestamp,
    diedOn: PlainTimestamp,
  },
  { title: 'DeadJob' },
)
const Redriven = strict({ jobs: Type.Integer({ description: 'How many run again' }) }, { title: 'Redriven' })
const tags = ['Jobs']

/** Dead jobs and their redrive. */
export function deadJobRoutes(database: Database): FastifyPluginAsyncTypebox {
  return routes(database, [listDeadJobsRoute, redriveJobsOfKindRoute, redriveJobRoute])
}

const listDeadJobsRoute = route(
  {
    method: 'GET',
    url: '/jobs/dead',
    replica: true,
    scope: 'operations:read',
    roles: admins,
    schema: {
      tags,
      summary: 'Jobs that failed for good',
      operationId: 'listDeadJobs',
      querystring: listQuerySchema(LIST),
      response: { 200: pageOf(DeadJobShape) },
    },
  },
  async (database: Database, request, reply) => {
    const list = readListQuery(request.query, LIST)
    const { jobs, total } = await listDeadJobs(database, request.caller.instanceId, withStoreNames(list, STORE_NAMES))
    const data = jobs.map(({ createdAt, diedAt, ...rest }) => ({
      ...rest,
      createdOn: toPlainTimestamp(createdAt),
      diedOn: toPlainTimestamp(diedAt),
    }))
    return listPage(reply, list, data, total)
  },
)

const redriveJobsOfKindRoute = route(
  {
    method: 'POST',
    url: '/jobs/dead/redrive',
    scope: 'operations:write',
    roles: admins,
    audit: 'job.redriven',
    schema: {
      tags,
      summary: 'Let all dead jobs of a kind run again, with all their attempts',
      operationId: 'redriveJobs',
      body: strict({ kind: Type.String({ minLength: 1, maxLength: 100, examples: ['sync'] }) }),
      response: { 202: Redriven },
    },
  },
  async (database: Database, request, reply) => {
    const { instanceId } = request.caller
    const { kind } = request.body
    const jobs = await inTransaction(database, async (db) => {
      const redriven = await redriveJobs(db, instanceId, { kind })
      if (redriven === 0) throw notFound('dead job of this kind')
      await recordChange(db, { instanceId, action: 'job.redriven', subject: null, details: { kind, jobs: redriven } })
      return redriven
    })
    reply.code(202)
    return { jobs }
  },
)

const redriveJobRoute = route(
  {
    method: 'POST',
    url: '/jobs/dead/:jobId/redrive',
    scope: 'operations:write',
    roles: admins,
    audit: 'job.redriven',
    schema: {
      tags,
      summary: 'Let one dead job run again, with all its attempts',
      operationId: 'redriveJob',
      params: strict({ jobId: Uuid }),
      response: { 202: Redriven },
    },
  },
  async (database: Database, request, reply) => {
    const { instanceId } = request.caller
    const { jobId } = request.params
    const jobs = await inTransaction(database, async (db) => {
      const redriven = await redriveJobs(db, instanceId, { id: jobId })
      if (redriven === 0) throw notFound('dead job')
      await recordChange(db, { instanceId, action: 'job.redriven', subject: `job/${jobId}`, details: { jobs: redriven } })
      return redriven
    })
    reply.code(202)
    return { jobs }
  },
)
