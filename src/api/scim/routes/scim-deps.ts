import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Access } from '../../access/access.ts'
import { isWanted, namesVersion, type Projection, project, type Resource } from '../messages/resource.ts'

/** Prefix of the SCIM API. */
export const SCIM_PREFIX = '/scim/v2'
export const SCIM_TYPE = 'application/scim+json; charset=utf-8'
/** A body of 10,000 members has about half of it. */
export const MAX_SCIM_BYTES = 1_048_576

export interface ScimDeps {
  access: Access
  /** Address of the SCIM API. */
  base: string
}

/** Who may call: only API keys with the scope. */
export const SCIM_ACCESS = { roles: [], scope: 'scim' } as const

export function sendScim(reply: FastifyReply, body: unknown): FastifyReply {
  return reply.type(SCIM_TYPE).send(JSON.stringify(body))
}

/** Sends one resource with its ETag; 304 for the version that the caller has. */
export function sendResource(request: FastifyRequest, reply: FastifyReply, resource: Resource, projection: Projection): FastifyReply {
  const { version, location } = resource.meta
  reply.header('etag', version)
  if (request.method === 'GET' && namesVersion(request.headers['if-none-match'], version)) return reply.code(304).send()
  if (reply.statusCode === 201) reply.header('location', location)
  return sendScim(reply, project(resource, projection))
}

export const wantsMembers = (projection: Projection): boolean => isWanted('members', projection)
